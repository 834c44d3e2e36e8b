import { describe, expect, it } from 'vitest'
import type { ChunkTask, Crew } from '../../src/campaign/crew.ts'
import type { Quarry } from '../../src/campaign/hunt.ts'
import { exitCodeOf, huntAll, huntOwn, kindsWithoutOwn, medianRuns } from '../../src/campaign/hunt-all.ts'
import { LeakError } from '../../src/campaign/nondeterminism.ts'
import { addPath, emptyTally, type Tally } from '../../src/campaign/tally.ts'
import type { CanaryResult } from '../../src/contract/canary.ts'

const quarry = (id: string, killedBy: string[] = [], scenarios = ['calm', 'wild']): Quarry => ({
  ...{ id, about: '', path: `${id}.ts`, hunt: { killedBy, scenarios } },
  scenarios: scenarios.map((name) => ({ name, path: `${name}.ts` })),
})

/** Breaks a layer in the run that `breaksIn` says, or never; every violation shrinks to one that has its own plan. */
function crewWhere(breaksIn: (task: ChunkTask) => number | null): Crew {
  return {
    size: 1,
    async runChunk(task): Promise<Tally> {
      const run = breaksIn(task)
      const tally = { ...emptyTally(), runs: run === null ? task.to : run + 1 }
      if (run !== null) {
        const first = { run, digest: '', choiceCount: 1, key: null, sentence: 'twice', eventCount: 1 }
        const path = { invariant: 'at-most-once', kind: 'zombie', path: [], first, runs: [run], checked: [] } as const
        addPath(tally, 'x', { ...path, runs: [run], checked: [] })
      }
      return tally
    },
    shrink: async ({ invariant, kind, run, seed, ...task }) => ({
      ...{ invariant, story: [], eventCount: 1, faultCount: 1, shrunk: true, spent: 0 },
      cause: { invariant, kind, path: [], needs: [] },
      violation: { kind, key: null, sentence: 'twice', events: [] },
      recorded: {
        ...{ scenario: task.scenarioName, implementation: task.implementationName, sink: task.sink, seed, run },
        ...{ plan: { faults: [{ kind: 'pause' }, { kind: 'crash' }, { kind: 'pause' }] } as never },
        ...{ choiceSeed: 1, choiceCount: 1, digest: '' },
      },
    }),
    close: async () => {},
  }
}

const request = { seed: 1, runs: 500, without: [] as string[], shrinkBudget: 0 }
const party = (crew: Crew, stopped = () => false) => ({ crew, stopped, tell: () => {} })
const fates = (results: CanaryResult[]) => results.map(({ fate }) => fate)

describe('a hunt', () => {
  it('goes from scenario to scenario until one run breaks the layer, and counts them all', async () => {
    const crew = crewWhere(({ scenarioName }) => (scenarioName === 'wild' ? 41 : null))
    const [result] = await huntAll([quarry('a')], request, party(crew))
    expect(result).toMatchObject({ fate: 'caught', runs: 542, caught: { scenario: 'wild', kind: 'zombie' } })
    expect(result!.caught!.faults).toEqual(['crash', 'pause'])
  })

  it('is lost where nothing breaks it, and won where all that reveals it is switched off', async () => {
    const crew = crewWhere(() => null)
    const of = (killedBy: string[], without: string[]) =>
      huntAll([quarry('a', killedBy)], { ...request, without }, party(crew))
    expect(fates(await of([], []))).toEqual(['survived'])
    expect(fates(await of([], ['crash']))).toEqual(['survived'])
    expect(fates(await of(['crash', 'pause'], ['crash']))).toEqual(['survived'])
    expect(fates(await of(['crash', 'pause'], ['pause', 'crash']))).toEqual(['lives'])
  })

  it('finds out a canary that dies of something else than it says', async () => {
    const off = { ...request, without: ['crash'] }
    expect(fates(await huntAll([quarry('a', ['crash'])], off, party(crewWhere(() => 3))))).toEqual(['dies-anyway'])
  })

  it('loads modules anew for every run where their state outlives one', async () => {
    const crew = crewWhere(({ fresh }) => {
      if (!fresh) throw new LeakError('a Map')
      return 0
    })
    expect(fates(await huntAll([quarry('a')], request, party(crew)))).toEqual(['caught'])
  })

  it('names what failed, and goes on with the others', async () => {
    const crew = crewWhere(({ implementationName }) => {
      if (implementationName === 'a') throw new Error('a no longer fits')
      return 0
    })
    const results = await huntAll([quarry('a'), quarry('b')], request, party(crew))
    expect(fates(results)).toEqual(['failed', 'caught'])
    expect(results[0]!.failure).toBe('a no longer fits')
  })

  it('says nothing of what was interrupted', async () => {
    let stopped = false
    const crew = crewWhere(() => {
      stopped = true
      return null
    })
    expect(
      await huntAll(
        [quarry('a'), quarry('b')],
        request,
        party(crew, () => stopped),
      ),
    ).toEqual([])
  })
})

describe('the hunt for own canaries', () => {
  it('looks ten times as long without their kind as it took with it', async () => {
    const asked: [string[], number][] = []
    const crew = crewWhere(({ without = [], to }) => {
      asked.push([[...without], to])
      return without.length > 0 ? null : 39
    })
    const results = await huntOwn([quarry('a', ['crash'], ['wild'])], request, party(crew))
    expect(fates(results)).toEqual(['caught', 'lives'])
    expect(asked).toEqual([
      [[], 500],
      [['crash'], 400],
    ])
  })

  it('names kinds of faults without one', () => {
    const quarries = [quarry('a', ['crash']), quarry('b', ['crash', 'pause'])]
    expect(kindsWithoutOwn(['crash', 'pause'], quarries)).toEqual(['pause'])
  })
})

describe('all hunts together', () => {
  const result = (fate: CanaryResult['fate'], runs = 1) =>
    ({ fate, runs, caught: fate === 'caught' ? {} : null }) as CanaryResult

  it('are sound when every canary was caught or lives as it must, and every kind has its own', () => {
    expect(exitCodeOf([result('caught'), result('lives')], [])).toBe(0)
    expect(exitCodeOf([result('caught')], ['pause'])).toBe(3)
    for (const fate of ['survived', 'dies-anyway', 'failed'] as const)
      expect(exitCodeOf([result('caught'), result(fate)], [])).toBe(3)
  })

  it('have a median over what was caught', () => {
    expect(medianRuns([result('caught', 9), result('survived', 500), result('caught', 1), result('caught', 4)])).toBe(4)
    expect(medianRuns([result('survived', 500)])).toBeNull()
  })
})
