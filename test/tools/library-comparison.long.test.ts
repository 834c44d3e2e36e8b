/** Every token of docs/findings/library-comparison.md breaks as described. */
import path from 'node:path'
import { fileURLToPath } from 'node:url'
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest'
import { decodeToken } from '../../src/campaign/token/token.ts'
import { allFacts } from '../../tools/library-comparison/library-facts.ts'
import { follows, Version } from '../../tools/tokens/version.ts'
import { needs, pathOf } from '../needs/needs.ts'
import { reported } from './comparison-page.ts'

const impls = new Map(allFacts().map(({ id, impl }) => [id, impl]))
const opened = Version.open(path.resolve(fileURLToPath(new URL('../..', import.meta.url))))

async function checkTokens(id: string): Promise<void> {
  const version = await opened
  for (const { way, token } of reported.filter((one) => one.id === id)) {
    const decoded = decodeToken(token)
    if (!decoded.ok) throw new Error(`${id}: ${token} is none`)
    expect(decoded.run.implementation).toBe(impls.get(id))
    const loaded = await version.pairOf(decoded.run)
    const played = await version.play(loaded!, decoded.run)
    expect(follows(played, decoded.run), `${id}: ${token}`).toBe(true)
    expect(played.ways, `${id}: ${token}`).toContain(way)
  }
}

const ids = [...new Set(reported.map(({ id }) => id))]
const isProgram = (id: string) => impls.get(id) !== id

describe('docs/findings/library-comparison.md', () => {
  it.each(ids.filter((id) => !isProgram(id)))('has tokens of %s that break as described', checkTokens)
})

needs({ python: 'redis' }).describe('docs/findings/library-comparison.md, of programs', () => {
  // They use the `python3` that has the library.
  beforeAll(() => void vi.stubEnv('PATH', `${path.dirname(pathOf('python'))}:${process.env.PATH}`))
  afterAll(() => void vi.unstubAllEnvs())
  it.each(ids.filter(isProgram))('has tokens of %s that break as described', checkTokens)
})
