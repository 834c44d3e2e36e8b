import { describe, expect, test } from 'vitest'
import { localCrew } from '../../src/campaign/local-crew.ts'
import { type MatrixCell, runMatrix } from '../../src/campaign/matrix.ts'
import type { Workbench } from '../../src/campaign/workbench.ts'
import { fakeBench, type Misbehaviour } from './fake-bench.ts'

const choiceOf = (name: string, sink: 'plain' | 'keyed' = 'plain') => ({
  ...{ scenarioPath: 'fake', scenarioName: 'fake-crash', sink, corpus: [] },
  ...{ implementationPath: name, implementationName: name },
})

const cell = (name: string, runs = 60, sink: 'plain' | 'keyed' = 'plain'): MatrixCell => ({
  choice: choiceOf(name, sink),
  id: name,
  runs,
})

/** `broken-…` declares that it is broken. The control breaks, whatever the others do. */
function bench(how: Misbehaviour): Workbench {
  const [theirs, controls] = [fakeBench(how), fakeBench()]
  return {
    ...theirs,
    runWorld: (request) => (request.implementation.path === 'control' ? controls : theirs).runWorld(request),
    loadImplementation: async (path) => {
      const loaded = await theirs.loadImplementation(path)
      const expect = path.startsWith('broken') ? ('broken' as const) : ('holds' as const)
      return { ...loaded, implementation: { ...loaded.implementation, expect } }
    },
  }
}

function play(cells: readonly MatrixCell[], how: Misbehaviour = {}) {
  const work = bench(how)
  const around = {
    ...{ bench: work, crew: localCrew(work), elapsedMs: () => 0 },
    realRedis: { kind: 'none', reason: 'a test needs none' } as const,
    ...{ progress: () => {}, pairDone: () => {}, keep: () => {} },
  }
  return runMatrix({ cells, control: choiceOf('control'), seed: 1, shrinkBudget: 50, reports: 'reports' }, around)
}

describe('matrix', () => {
  test('a layer that declares itself broken, and is, is as expected', async () => {
    const { exitCode, pairs } = await play([cell('broken-lock')])
    expect(pairs[0]!.verdict).toBe('violated')
    expect(exitCode).toBe(0)
  })

  test('a cell is done once at-most-once is broken', async () => {
    const { pairs } = await play([cell('broken-lock', 500)])
    expect(pairs[0]!.runs).toBeLessThan(100)
    expect(pairs[0]!.violations[0]).toMatchObject({ invariant: 'at-most-once', faultCount: 1 })
  })

  test('a layer that holds runs to its end', async () => {
    const { exitCode, pairs } = await play([cell('sound')], { sound: true })
    expect(pairs[0]).toMatchObject({ verdict: 'pass', runs: 60 })
    expect(exitCode).toBe(0)
  })

  test('a layer that should hold and breaks exits 1', async () => {
    expect((await play([cell('sound'), cell('broken-lock')])).exitCode).toBe(1)
  })

  test('a layer that declares itself broken and survives everything exits 3, and says that either may be wrong', async () => {
    const { exitCode, harnessFailure } = await play([cell('broken-lock'), cell('broken-lock', 60, 'keyed')], {
      sound: true,
    })
    expect(exitCode).toBe(3)
    expect(harnessFailure).toBe(
      'broken-lock declares that it is broken, and survived 120 runs of 2 cells: it is better than it says, or the harness is blind',
    )
  })

  test('a goal that a layer should reach and does not is unknown; one that is broken anyway need not reach it', async () => {
    expect((await play([cell('sound')], { sound: true, neverReaches: true })).exitCode).toBe(4)
    expect((await play([cell('broken-lock')], { neverReaches: true })).exitCode).toBe(0)
  })

  test('what is not simulated leaves even a broken layer unknown', async () => {
    expect((await play([cell('broken-lock')], { unsupported: ['FCALL'] })).exitCode).toBe(4)
  })

  test('sorts by layer, scenario and sink, whatever came first', async () => {
    const { pairs } = await play([cell('b', 20, 'keyed'), cell('b', 20), cell('a', 20)], { sound: true })
    expect(pairs.map(({ implementation, sink }) => `${implementation} ${sink}`)).toEqual([
      'a plain',
      'b plain',
      'b keyed',
    ])
  })
})
