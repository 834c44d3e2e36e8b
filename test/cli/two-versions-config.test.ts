/** A config says which of its layers has a next version. */
import { beforeAll, describe, expect, it } from 'vitest'
import type { Results } from '../../src/contract/results.ts'
import { write } from './run-cli.ts'
import { inTurn } from './run-in-turn.ts'
import { breaksId, twoVersionsProject } from './two-versions-project.ts'

const patientMs = 200_000
const json = ['--json', '--workers', '1', '--no-html'] as const

describe('a config with a next version', { timeout: patientMs }, () => {
  const cwd = twoVersionsProject()
  let results: Results
  let whole: string

  beforeAll(async () => {
    const upgrade = "{ implementation: 'marker-before-plain-sink', withNext: './next.ts' }"
    const rest = "scenarios: ['competing-consumers'], runs: 20, sinks: ['plain', 'keyed']"
    write(cwd, 'onceproof.config.mjs', `export default { implementations: ['./next.ts', ${upgrade}], ${rest} }`)
    whole = (await inTurn([...json], { cwd })).stdout
    results = JSON.parse(whole)
  })

  const verdicts = ({ pairs }: Results) =>
    pairs.map((pair) => [pair.implementation, pair.sink, pair.verdict].join(', '))

  it('plays that layer with it, and another layer by itself, on each sink', () => {
    expect(verdicts(results)).toEqual([
      `${breaksId}, plain, violated`,
      `${breaksId}, keyed, pass`,
      'marker-version-two, plain, pass',
      'marker-version-two, keyed, pass',
    ])
    expect(results.findings[0]!.replay).toMatch(/ --impl marker-before-plain-sink --with-next \.\/next\.ts$/)
  })

  it('is played again as it was by --last-failed', async () => {
    const { stdout } = await inTurn([...json, '--last-failed'], { cwd })
    expect(verdicts(JSON.parse(stdout))).toEqual([`${breaksId}, plain, violated`])
  })

  it('gives way to --with-next, which is of every layer, and to --impl, which has none', async () => {
    const few = [...json, '--runs', '2', '--sink', 'plain']
    const next = JSON.parse((await inTurn([...few, '--with-next', './again.ts'], { cwd })).stdout)
    expect(next.pairs.map(({ implementation }: { implementation: string }) => implementation)).toEqual([
      'marker-before-plain-sink with-next reference-again',
      'marker-version-two with-next reference-again',
    ])
    const impl = JSON.parse((await inTurn([...few, '--impl', 'reference'], { cwd })).stdout)
    expect(impl.pairs).toMatchObject([{ implementation: 'reference' }])
  })

  it('gives in shards the bytes of one machine', async () => {
    const shards = [1, 2].map((index) => ['--shard', `${index}/2`, '--reports', `s${index}`])
    await Promise.all(shards.map((shard) => inTurn([...json, ...shard], { cwd })))
    const { stdout } = await inTurn(['merge', 's1', 's2', ...json], { cwd })
    const timeless = (text: string) => ({ ...JSON.parse(text), timings: null })
    expect(timeless(stdout)).toEqual(timeless(whole))
  })
})
