/** Runs of a layer that polls, so that they take many more events than others. */
import { beforeEach, describe, expect, it } from 'vitest'
import { runChunk } from '../../../src/campaign/play/run-chunk.ts'
import { playTraffic } from '../../../src/campaign/play/run-traffic.ts'
import type { PairTask } from '../../../src/campaign/play/tasks.ts'
import { NondeterminismError } from '../../../src/campaign/token/nondeterminism.ts'
import type { CampaignDeps, WorldRequest } from '../../../src/campaign/types.ts'
import type { HistoryEvent } from '../../../src/contract/api/history.ts'
import { fakeBench } from '../fake-deps.ts'

const names = { scenarioName: 'fake-crash', implementationName: 'fake', sink: 'plain', seed: 1, fresh: false } as const
const task: PairTask = { ...names, scenarioPath: 'fake-crash', implementationPath: 'fake' }
const chunk = { ...task, from: 0, to: 2, bail: false }

let played: WorldRequest[] = []

/** Each run takes `takes` events, and its first answer comes after `answers` of them. */
function polling({ takes = 50_000, answers = 5, drifts = false, sound = false }): CampaignDeps {
  const fake = fakeBench({ alwaysBreaks: true, sound })
  return {
    ...fake,
    runWorld: async (request) => {
      played.push(request)
      const result = await fake.runWorld(request)
      const { events: most = Number.POSITIVE_INFINITY } = request
      const isWhole = takes <= most
      const { header, events } = result.history
      const answered = { type: 'answered', outcome: { status: 'retry' }, seq: 0, atUs: 0 } as HistoryEvent
      const ended = { ...events.at(-1)!, complete: isWhole } as HistoryEvent
      const history = { header, events: [...(answers <= most ? [answered] : []), ...events.slice(0, -1), ended] }
      const digest = drifts ? `run ${played.length}` : `${result.digest} ${isWhole}`
      return { ...result, history, digest, eventCount: isWhole ? takes : most + 1 }
    },
  }
}

/** The event limit of each run that was played with `record`, or without. */
const limits = (record: boolean) =>
  played.filter((one) => one.record === record && !one.mustWork).map(({ events }) => events)

beforeEach(() => {
  played = []
})

describe('a run without faults', () => {
  const calm = () => played.filter(({ mustWork }) => mustWork).map(({ events }) => events)

  it('is cut if the layer has answered by then', async () => {
    await runChunk(chunk, polling({}))
    expect(calm()).toEqual([10_000])
  })

  it('is played to its end if the layer has not answered by then', async () => {
    await runChunk(chunk, polling({ answers: 20_000 }))
    expect(calm()).toEqual([10_000, undefined])
  })

  it('is played once if it is short, even without an answer', async () => {
    await runChunk(chunk, polling({ takes: 900, answers: Number.POSITIVE_INFINITY }))
    expect(calm()).toEqual([10_000])
  })
})

describe('a long run that is played twice', () => {
  it('is cut the second time, and the first time if it breaks like an earlier one', async () => {
    const { runs, historyDigests } = await runChunk(chunk, polling({}))
    expect([runs, historyDigests.length]).toEqual([2, 2])
    expect(limits(false)).toEqual([10_000, undefined, 10_000])
    expect(limits(true)).toEqual([10_000, 10_000])
  })

  it('is noticed if its plays differ', async () => {
    await expect(runChunk(chunk, polling({ drifts: true }))).rejects.toThrow(NondeterminismError)
  })
})

describe('runs of a violated pair', () => {
  const runsOf = async (violatedEvents: number, sound: boolean) =>
    (await runChunk({ ...chunk, to: 6, violatedEvents }, polling({ takes: 900, sound }))).runs

  it('end once they have played the events that such a pair may play', async () => {
    expect(await runsOf(2_700, false)).toBe(3)
    expect(await runsOf(2_701, false)).toBe(4)
  })

  it('do not end for that if nothing is violated', async () => {
    expect(await runsOf(2_700, true)).toBe(6)
  })
})

describe('a run that is compared with a real server', () => {
  it('is cut, and one of real processes is not', async () => {
    const bench = polling({})
    await playTraffic(task, [0], bench)
    const loadImplementation: typeof bench.loadImplementation = async (...asked) => {
      return { ...(await bench.loadImplementation(...asked)), elsewhere: true }
    }
    await playTraffic(task, [0], { ...bench, loadImplementation })
    expect(limits(false)).toEqual([10_000, undefined])
  })
})
