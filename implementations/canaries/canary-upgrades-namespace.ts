/**
 * Canary for rolling upgrades: the new version keeps its records under another prefix, which starts
 * empty. Each version is correct by itself, and neither sees the other's records.
 */
import type { CreateContext, DeployContext } from '../../src/contract/api/implementation.ts'
import { isSinkRefusal } from '../../src/contract/api/sink.ts'
import { defineUpgrade } from '../../src/contract/api/upgrade.ts'
import { createOnce } from '../../src/impl/once.ts'
import { guarding } from '../reference/parts/guarding.ts'
import { optionsOf } from '../reference/parts/options.ts'
import reference from '../reference/reference.ts'

const prefixed = <T extends DeployContext>(context: T): T => {
  const { redis } = context
  return { ...context, redis: { ...redis, options: { ...redis.options, keyPrefix: 'v2:' } } }
}

export default {
  ...defineUpgrade({
    id: 'canary-upgrades-namespace',
    about: 'Gives the new version its own namespace.',
    expect: 'broken',
    hunt: { killedBy: [], scenarios: ['competing-consumers'] },
    from: reference,
    to: {
      ...reference,
      create(context: CreateContext) {
        const once = createOnce({ ...optionsOf(prefixed(context)), isRefusal: isSinkRefusal })
        return guarding(once, context.sink)
      },
    },
  }),
  shapes: ['single'] as const,
  async deploy(context: DeployContext) {
    await reference.deploy!(context)
    await reference.deploy!(prefixed(context))
  },
}
