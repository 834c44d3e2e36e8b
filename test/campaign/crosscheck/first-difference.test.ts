import { describe, expect, it } from 'vitest'
import { type AskedStore, Crosscheck } from '../../../src/campaign/crosscheck/crosscheck.ts'
import { loadPair } from '../../../src/campaign/play/load-pair.ts'
import { oneAtATime } from '../../../src/campaign/play/one-at-a-time.ts'
import type { PlayedPair } from '../../../src/campaign/play/pair-progress.ts'
import { emptyTally } from '../../../src/campaign/tally/tally.ts'
import { fakeBench } from '../fake-deps.ts'

const server = { version: '7.0', stop: async () => {} }
const difference = { command: 'GET k', model: 'a', real: 'b' }

/**
 * Crosschecks pairs in the order in which they end. `ended`: their names and their places in the
 * campaign. `differs`: the pairs with a difference.
 */
async function crosschecked(ended: readonly (readonly [name: string, place: number])[], differs: readonly string[]) {
  const replayed: string[] = []
  let playing = ''
  const deps = { ...fakeBench({ sound: true }), playing: (run: { scenario: string }) => void (playing = run.scenario) }
  const store: AskedStore<typeof server> = {
    kind: 'redis',
    offer: { kind: 'ready', start: async () => server },
    replay: async () => {
      replayed.push(playing)
      return { compared: 1, byRule: 0, leftOut: new Map(), difference: differs.includes(playing) ? difference : null }
    },
  }
  const crosscheck = new Crosscheck(store, ended.length, 1, {
    deps,
    executor: {},
    elapsedMs: () => 0,
    alone: oneAtATime(),
  })
  for (const [scenarioName, place] of ended) {
    const names = { scenarioPath: 's', scenarioName, implementationPath: 'layer', implementationName: 'layer' }
    const choice = { ...names, sink: 'plain' as const, corpus: [], runMs: 1 }
    const progress = { tally: { ...emptyTally(), runs: 1 }, failure: null }
    const pair = await loadPair(choice, deps)
    crosscheck.add({ plan: { choice, bound: { runs: 1 } }, pair, progress } as unknown as PlayedPair, { place })
  }
  return { result: await crosscheck.result(), replayed }
}

describe('a crosscheck whose pairs end in any order', () => {
  it.each([
    [
      ['first', 0],
      ['second', 1],
    ],
    [
      ['second', 1],
      ['first', 0],
    ],
  ] as const)('reports the difference of the pair that comes first: %j, %j', async (...ended) => {
    const { result } = await crosschecked(ended, ['first', 'second'])
    expect(result).toMatchObject({ verdict: 'disagrees', disagreement: { scenario: 'first' } })
  })

  it('keeps a difference if no earlier pair has one, and replays no later pair', async () => {
    const { result, replayed } = await crosschecked(
      [
        ['second', 1],
        ['third', 2],
        ['first', 0],
      ],
      ['second'],
    )
    expect(result).toMatchObject({ verdict: 'disagrees', disagreement: { scenario: 'second' } })
    expect(replayed).toEqual(['second', 'second', 'first'])
  })
})
