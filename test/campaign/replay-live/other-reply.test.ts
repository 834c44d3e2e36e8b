import { describe, expect, it } from 'vitest'
import { firstOther } from '../../../src/campaign/replay-live/other-reply.ts'
import type { ScheduledRun } from '../../../src/campaign/replay-live/run-schedule.ts'
import type { LiveCommand } from '../../../src/contract/results/schedule.ts'

const executed = (process: string, label: string, reply: unknown, seq = 1) => ({
  process,
  label,
  seq,
  args: [label],
  reply,
})

/** The layer was deployed before the consumers started. */
const simulated = {
  schedule: { steps: [], draws: [], scriptLabels: {} },
  result: {
    history: { events: [{ type: 'process-started', process: 'consumer-1', seq: 0, atUs: 0 }] },
    executed: [
      executed('operator', 'SET', 'x'),
      executed('consumer-1', 'GET', null),
      executed('consumer-1', 'SET', null),
    ],
  },
} as unknown as ScheduledRun

const lateMs = { left: 0, answered: 0 }
const live = (...replies: string[]): LiveCommand[] =>
  replies.map((reply, at) => ({ ...executed('consumer-1', at === 0 ? 'GET' : 'SET', null), reply, lateMs }))

describe('the first reply that differs', () => {
  it('is searched among the commands of consumers', () => {
    expect(firstOther(simulated, live('$-1\r\n', '$1\r\n1\r\n'))).toMatchObject({ at: 1, command: 'SET' })
  })

  it('is searched among the commands that were executed during the lives of the processes', () => {
    const ended = { type: 'process-ended', process: 'consumer-1', seq: 3 }
    const [deploys, gets] = simulated.result.executed
    const executedThen = [
      deploys!,
      gets!,
      executed('consumer-1', 'SET', 'gone', 4),
      executed('consumer-1.2', 'SET', null, 5),
    ]
    const started = { type: 'process-started', process: 'consumer-1.2', seq: 4 }
    const events = [...simulated.result.history.events, ended, started]
    const result = { history: { events }, executed: executedThen }
    const [got] = live('$-1\r\n')
    const other = { ...got!, process: 'consumer-1.2', label: 'SET', reply: '$1\r\n1\r\n' }
    expect(firstOther({ ...simulated, result } as unknown as ScheduledRun, [got!, other])).toMatchObject({ at: 1 })
  })

  it('is missing if all replies are equal', () => expect(firstOther(simulated, live('$-1\r\n', '$-1\r\n'))).toBeNull())
})
