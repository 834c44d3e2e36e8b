/** Runs on PostgreSQL that cannot be replayed, or are undecided. */

import { ErrorReply } from 'redis-sim/resp'
import { describe, expect, it } from 'vitest'
import { wasCutShort } from '../../../src/campaign/replay-live/lateness.ts'
import { leftBySessions } from '../../../src/campaign/replay-live/left-by-sessions.ts'
import type { ScheduledRun } from '../../../src/campaign/replay-live/run-schedule.ts'
import { whyNotMade } from '../../../src/campaign/replay-live/why-not-made.ts'
import type { HistoryEvent } from '../../../src/contract/api/history.ts'
import type { Plan } from '../../../src/contract/api/plan.ts'
import type { Followed, ScheduleDivergence, ScheduleStep } from '../../../src/contract/results/schedule.ts'
import { stepText } from '../../../src/contract/results/step.ts'
import { stepOf } from '../../run/step-of.ts'
import { clustered } from './recorded.ts'

const host = { notMade: () => [], holdsSeveral: true }

type Given = Pick<ScheduleStep, 'step'> & Partial<ScheduleStep>

const named = (text: string): Given => ({ step: stepOf(text) })
const statement = (text: string): Given => ({ ...named(text), store: 'postgres' })

const started = { type: 'process-started', process: 'consumer-1', seq: 0 }

interface Made {
  readonly plan?: Partial<Plan>
  readonly events?: readonly object[]
  readonly replies?: readonly string[]
}

/** Each step comes a millisecond after the one before it, with one event. */
function run(given: readonly Given[], { plan = {}, events = [], replies = [] }: Made = {}): ScheduledRun {
  const steps = given.map((step, at) => ({
    ...{ atUs: at * 1000, seq: at, expired: [], wrote: false, clocked: false, server: null },
    ...step,
  }))
  const executed = replies.map((reply, seq) => ({ seq, process: 'consumer-1', reply: new ErrorReply(reply) }))
  const history = { header: { plan }, events: events as readonly HistoryEvent[] }
  return {
    schedule: { steps, draws: [], returns: [], scriptLabels: {} },
    until: steps.length,
    result: { history, unsupported: [], executed },
    broke: null,
    decidedBy: null,
  } as unknown as ScheduledRun
}

const sent = named('consumer-1 command-unsent COMMIT order-1')
const unexecuted = statement('consumer-1 command-unexecuted COMMIT order-1')
const executed = statement('consumer-1 command-executed COMMIT order-1')
const later = named('timer 1')

const reasonOf = (made: ScheduledRun) => whyNotMade(made, host, 60_000)?.reason ?? null

describe('a run on PostgreSQL', () => {
  it('can be replayed if each statement is sent and executed alone', () => {
    expect(reasonOf(run([sent, unexecuted, executed, sent, unexecuted, executed]))).toBe(null)
  })

  it('cannot be replayed if two statements are sent as one', () => {
    const made = run([sent, unexecuted, executed, unexecuted, executed])
    expect(whyNotMade(made, host, 60_000)).toEqual({ reason: 'together', what: stepText(unexecuted.step) })
  })

  describe('whose process dies', () => {
    const dies = (seq: number) => ({ events: [{ type: 'process-ended', process: 'consumer-1', seq }] })

    it('cannot be replayed if its statement is about to be executed', () => {
      expect(reasonOf(run([sent, unexecuted, executed, later], dies(1)))).toBe('outlives')
    })

    it('can be replayed if its statement has been executed, or waits', () => {
      expect(reasonOf(run([sent, unexecuted, executed, later], dies(2)))).toBe(null)
      expect(reasonOf(run([sent, unexecuted, later, executed], dies(2)))).toBe(null)
    })
  })

  describe('whose server is killed and restarts', () => {
    const back = { events: [{ type: 'fault-healed', fault: 'postgres-restart', seq: 1 }] }
    const handshakeAnswered = named('consumer-2 handshake-answered 2')
    const reading = (recoveryMs: number) => ({
      ...back,
      plan: { postgres: { synchronousCommit: true, maxConnections: 100, recoveryMs } },
    })

    it('cannot be replayed if a client connects during recovery', () => {
      expect(reasonOf(run([later, later, later, handshakeAnswered], reading(5)))).toBe('recovery')
    })

    it('can be replayed if no client connects before the end of recovery', () => {
      expect(reasonOf(run([later, later, later, handshakeAnswered], reading(1)))).toBe(null)
      expect(reasonOf(run([later, later, later, handshakeAnswered], reading(0)))).toBe(null)
    })
  })

  it('cannot be replayed beside several servers of Redis', () => {
    expect(reasonOf(run([sent, unexecuted, executed], { plan: { redis: clustered } }))).toBe('beside')
  })

  describe('that left its path', () => {
    const left = (expected: Given, seen: ScheduleDivergence['seen']): Followed =>
      ({ left: { step: 3, expected: expected.step, seen } }) as unknown as Followed
    const effect = named('consumer-1 effect-sent order-1')
    const struck = (fault: string) => ({ events: [{ type: 'fault-struck', fault, seq: 1 }] })
    const steps = [sent, unexecuted, executed, effect]

    it('may be due to its sessions if a wait differed, or one of their steps did not come', () => {
      const made = run(steps)
      expect(
        leftBySessions(made, left(unexecuted, { kind: 'otherwise', cause: 'sessions', text: 'it does not wait' })),
      ).toBe(true)
      expect(leftBySessions(made, left(executed, null))).toBe(true)
      expect(leftBySessions(made, left(named('consumer-1 lets-go'), null))).toBe(true)
    })

    it('is due to the process if it took an unscheduled step, or none', () => {
      expect(leftBySessions(run(steps), left(executed, stepOf('consumer-1 command-unsent ROLLBACK')))).toBe(false)
      expect(leftBySessions(run(steps), left(effect, null))).toBe(false)
    })

    it('may be due to its server after a fault of it, but no other fault', () => {
      const there = left(effect, null)
      expect(leftBySessions(run(steps, struck('postgres-restart')), there)).toBe(true)
      expect(leftBySessions(run(steps, struck('crash')), there)).toBe(false)
    })

    it('is not due to sessions on Redis', () => {
      const redis = [sent, { step: unexecuted.step }, { step: executed.step }]
      expect(leftBySessions(run(redis), left(executed, null))).toBe(false)
    })
  })

  it('was late if a time limit of the server ended a statement that did not end in the simulator', () => {
    const limit = '55P03 canceling statement due to lock timeout'
    const cut = { cutShort: [limit], taken: 1, executed: [] }
    const steps = [statement('consumer-1 command-executed WITH'), statement('consumer-1 reply-received WITH')]
    expect(wasCutShort(run(steps), cut)).toBe(true)
    expect(wasCutShort(run(steps, { events: [started], replies: [limit] }), cut)).toBe(false)
    expect(wasCutShort(run(steps), { ...cut, cutShort: [] })).toBe(false)
  })

  it('was late if the server had ended more by its clock than in the simulator by then', () => {
    const limit = '55P03 canceling statement due to lock timeout'
    const steps = [statement('consumer-1 command-executed WITH'), statement('consumer-1 reply-received WITH')]
    expect(
      wasCutShort(run(steps, { events: [started], replies: [limit] }), {
        cutShort: [limit, limit],
        taken: 1,
        executed: [],
      }),
    ).toBe(true)
    const later = run(steps, { events: [started], replies: ['42P01 a', '42P01 b', limit] })
    expect(wasCutShort(later, { cutShort: [limit], taken: 1, executed: [] })).toBe(true)
  })
})
