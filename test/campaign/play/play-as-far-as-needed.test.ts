/** Which long runs are played to their ends. */
import { describe, expect, it } from 'vitest'
import { playAsFarAsNeeded } from '../../../src/campaign/play/play-and-judge.ts'
import { emptyTally } from '../../../src/campaign/tally/tally.ts'
import type { CampaignDeps } from '../../../src/campaign/types.ts'
import type { Plan } from '../../../src/contract/api/plan.ts'
import { aRun } from '../../check/history-builder.ts'

interface Made {
  /** The number of events of the run. */
  readonly takes: number
  readonly breaks?: boolean
  /** The run comes to rest after its first events, and continues. */
  readonly rests?: boolean
  readonly plan?: Partial<Plan>
}

/** The event limit of each run that was played. */
async function played(...runs: readonly Made[]) {
  const tally = emptyTally()
  const asked: number[] = []
  for (const [run, { takes, breaks = false, rests = false, plan }] of runs.entries()) {
    const deps = {
      runWorld: ({ events = 60_000 }: { events?: number }) => {
        asked.push(Math.min(events, takes))
        const history = aRun().publish('m1').deliver(1, 'm1', 'a').send(1, 1).apply(1)
        const isWhole = takes <= events
        history.at(isWhole ? 1 : 900_000).add({ type: 'ended', complete: isWhole || rests })
        const rest = { digest: '', trail: {}, unstruck: [], strikes: [], executed: [], unsupported: [] }
        const sets = { cells: [], cellsSeen: [], pairs: [], separated: [], scheduleHash: '' }
        return Promise.resolve({ history, eventCount: Math.min(events + 1, takes), ...rest, ...sets })
      },
      judge: () =>
        breaks
          ? [
              {
                name: 'at-most-once',
                verdict: {
                  verdict: 'violated',
                  violations: [{ kind: 'duplicate', key: 'k1', sentence: 's', events: [] }],
                },
              },
            ]
          : [{ name: 'at-most-once', verdict: { verdict: 'valid' } }],
      reached: () => false,
    } as unknown as CampaignDeps
    const scenario = { invariants: [], goals: [] }
    const request = { scenario, implementation: {}, plan: { faults: [], ...plan } } as never
    await playAsFarAsNeeded(run, request, tally, deps)
  }
  return { tally, asked }
}

describe('a long run', () => {
  it('is played to its end if it breaks in a new way', async () => {
    expect((await played({ takes: 50_000, breaks: true })).asked).toEqual([10_000, 50_000])
  })

  it('is not played to its end if it breaks like an earlier one', async () => {
    const { asked, tally } = await played({ takes: 900, breaks: true }, { takes: 50_000, breaks: true })
    expect(asked).toEqual([900, 10_000])
    expect([...tally.paths.values()].map(({ runs }) => runs)).toEqual([[0, 1]])
  })

  it('is played to its end if nothing is broken', async () => {
    expect((await played({ takes: 900, breaks: true }, { takes: 50_000 })).asked).toEqual([900, 10_000, 50_000])
  })

  it('is played to its end if it came to rest before', async () => {
    expect((await played({ takes: 50_000, rests: true })).asked).toEqual([10_000, 50_000])
  })

  it('is not played to its end if only a fault remains that ends much later', async () => {
    const late = (healAfterMs: number) => ({
      takes: 50_000,
      plan: { faults: [{ kind: 'late-copy', when: { at: 'time', ms: 1 }, healAfterMs }] } as never,
    })
    expect((await played(late(86_400_000))).asked).toEqual([10_000])
    expect((await played(late(2_000))).asked).toEqual([10_000, 50_000])
    expect((await played({ ...late(86_400_000), breaks: true })).asked).toEqual([10_000, 50_000])
  })

  it('is replaced by a shorter one as the example', async () => {
    const { tally } = await played({ takes: 50_000, breaks: true }, { takes: 900, breaks: true })
    expect([...tally.paths.values()].map(({ first }) => first.run)).toEqual([1])
  })
})
