/**
 * The permissions that the layer needs on a server, and its reports if a server or its provider
 * forbids something.
 */
import fs from 'node:fs'
import { afterEach, beforeEach, expect, it } from 'vitest'
import { adopt, type OnceOptions } from '../../src/impl/once.ts'
import { buckets, closeLayers, freshMessage, layerAt, never, reportedBy } from './layers.ts'
import { describeOnRedis } from './real-redis.ts'

const page = fs.readFileSync(new URL('../../docs/reference/once.md', import.meta.url), 'utf8')
/** The rules of `ACL SETUSER` on the page. */
const [, least] = /^ACL SETUSER once on >secret (.+)$/m.exec(page)! as unknown as [string, string]

describeOnRedis('the layer', (redis) => {
  const permit = (...rules: string[]) => redis.client.acl('SETUSER', 'once', 'reset', 'on', '>secret', ...rules)
  const at = () => ({ host: '127.0.0.1', port: redis.port, username: 'once', password: 'secret' })
  const layer = (options: Partial<OnceOptions> = {}) => layerAt(at(), { leaseMs: 400, ...options })
  beforeEach(async () => {
    await permit(...least.split(' '))
    await adopt({ redis: at(), buckets, since: 0 })
  })
  afterEach(closeLayers)

  it('works with the minimum permissions of docs/reference/once.md', async () => {
    const once = layer({ maxAttempts: 3, sink: { kind: 'plain', settledByHand: true } })
    const message = freshMessage()
    expect(await once.run(message, async () => 1)).toMatchObject({ status: 'done' })
    expect(await once.run(message, never)).toMatchObject({ status: 'done', repeated: true })
    for await (const doubt of once.doubts()) expect(doubt).toBeUndefined()
    expect(await once.resetAttempts(message.key)).toEqual({ status: 'reset' })
    const replicated = await layer({ replicas: 1 }).run(freshMessage(), never)
    expect(reportedBy(replicated)).toBe('not-replicated: 0 of 1 replicas acknowledged the begin')
  })

  it.each([
    ['info', 'INFO'],
    ['evalsha', 'evalsha'],
    ['time', 'TIME'],
  ])('performs nothing if %s is forbidden, and reports the reason', async (command) => {
    await permit(...least.split(' '), `-${command}`)
    // A client without permission for INFO connects without its ready check.
    const once = layerAt({ ...at(), enableReadyCheck: false }, { leaseMs: 400 })
    expect(reportedBy(await once.run(freshMessage(), never))).toMatch(
      /^redis-unreachable: .*(NOPERM|permission|can't run)/,
    )
  })

  it('performs nothing if WAIT is forbidden and replicas count', async () => {
    await permit(...least.split(' '), '-wait')
    expect(reportedBy(await layer({ replicas: 1 }).run(freshMessage(), never))).toMatch(
      /^redis-unreachable: NOPERM .*'wait'/,
    )
    expect(await layer().run(freshMessage(), async () => 1)).toMatchObject({ status: 'done' })
  })
})
