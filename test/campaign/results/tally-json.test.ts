import * as fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { runChunk } from '../../../src/campaign/play/run-chunk.ts'
import { tallyFromJson, tallyToJson } from '../../../src/campaign/results/tally-json.ts'
import { emptyTally, mergeTally, type Tally } from '../../../src/campaign/tally/tally.ts'
import { invariantNames } from '../../../src/contract/api/verdict.ts'
import { fakeBench } from '../fake-deps.ts'

const names = fc.string({ maxLength: 12 })
const set = fc.array(names).map((all) => new Set(all))
const mapOf = <T>(value: fc.Arbitrary<T>) => fc.array(fc.tuple(names, value)).map((all) => new Map(all))
const reason = fc.option(names)
const invariant = fc.constantFrom(...invariantNames)

const violating = fc.record({
  run: fc.nat(),
  digest: names,
  trail: fc.record({ stepCount: fc.nat(), trail: names, digest: names }),
  key: fc.option(names),
  sentence: names,
  eventCount: fc.nat(),
})

const counts = ['runs', 'messages', 'effects', 'done', 'refused', 'deadLettered', 'incomplete'] as const
const tallies: fc.Arbitrary<Tally> = fc
  .record({
    ...(Object.fromEntries(counts.map((name) => [name, fc.nat()])) as Record<
      (typeof counts)[number],
      fc.Arbitrary<number>
    >),
    whyIncomplete: reason,
    digests: fc.array(names),
    historyDigests: fc.array(names),
    schedules: set,
    cells: set,
    cellsSeen: set,
    pairs: set,
    separated: set,
    unsupported: set,
    scripts: mapOf(
      fc.record({
        body: names,
        executable: fc.array(fc.nat()),
        executed: fc.array(fc.nat()).map((all) => new Set(all)),
      }),
    ),
    faults: mapOf(fc.nat()),
    goals: mapOf(fc.nat()),
    unstruck: mapOf(fc.record({ runs: fc.nat(), cameUp: fc.nat() })),
    invariants: fc
      .array(fc.tuple(invariant, fc.record({ violated: fc.nat(), unknown: fc.nat(), whyUnknown: reason })))
      .map((all) => new Map(all)),
    paths: mapOf(
      fc.record({
        invariant,
        kind: names,
        path: fc.array(names),
        decidedBy: fc.option(names),
        first: violating,
        runs: fc.array(fc.nat()),
        checked: fc.array(violating),
      }),
    ),
    newCoverage: mapOf(fc.nat()),
  })
  .map((drawn) => ({ ...emptyTally(), ...drawn }))

/** The tally after its way to another machine. */
const sent = (tally: Tally): Tally => {
  const read = tallyFromJson(JSON.parse(JSON.stringify(tallyToJson(tally))))
  if (!read.ok) throw new Error(read.problem)
  return read.tally
}

/** Also compares the order of maps and sets. */
const inOrder = (tally: Tally) => JSON.stringify(tallyToJson(tally))

describe('a tally as JSON', () => {
  it('decodes to an equal tally in the same order', () => {
    fc.assert(
      fc.property(tallies, (tally) => {
        expect(sent(tally)).toEqual(tally)
        expect(inOrder(sent(tally))).toBe(inOrder(tally))
      }),
    )
  })

  it('adds up as if it had not been encoded', () => {
    fc.assert(
      fc.property(tallies, tallies, (one, other) => {
        const [here, there] = [sent(one), sent(sent(one))]
        mergeTally(here, other)
        mergeTally(there, sent(other))
        expect(inOrder(there)).toBe(inOrder(here))
      }),
    )
  })

  it('keeps the results of a chunk', async () => {
    const pair = { scenarioPath: 's', scenarioName: 's', implementationPath: 'i', implementationName: 'i' }
    const task = { ...pair, sink: 'plain', seed: 1, fresh: false, from: 0, to: 20, bail: false } as const
    const tally = await runChunk(task, fakeBench())
    expect(tally.paths.size).toBeGreaterThan(0)
    expect(sent(tally)).toEqual(tally)
  })
})

describe('a tally is refused with the problem', () => {
  const written = (change: (tally: Record<string, unknown>) => void): unknown => {
    const data = JSON.parse(JSON.stringify(tallyToJson(emptyTally())))
    change(data.tally)
    return data
  }
  it.each([
    ['nothing', null, 'version undefined'],
    ['another version', { version: 2, tally: {} }, 'version 2'],
    ['no members', { version: 1 }, 'no tally'],
    ['a missing member', written((tally) => delete tally.paths), 'paths'],
    ['an unknown member', written((tally) => Object.assign(tally, { luck: 1 })), 'luck'],
    ['a negative count', written((tally) => Object.assign(tally, { runs: -1 })), 'runs'],
    ['a list instead of a set', written((tally) => Object.assign(tally, { cells: [] })), 'cells'],
    ['a set without a list', written((tally) => Object.assign(tally, { cells: { $set: 3 } })), 'damaged'],
  ])('%s', (_, data, problem) => {
    expect(tallyFromJson(data)).toEqual({ ok: false, problem: expect.stringContaining(problem) })
  })

  it('but not if it is unchanged', () => {
    expect(tallyFromJson(written(() => {}))).toEqual({ ok: true, tally: emptyTally() })
  })
})
