/** Replays violating runs of layers on PostgreSQL on a real server, step by step. */
import { expect, it } from 'vitest'
import type { Schedule, ScheduleStep } from '../../../src/contract/results/schedule.ts'
import { stepText } from '../../../src/contract/results/step.ts'
import { planned, twice } from '../../campaign/replay-live/recorded.ts'
import { describeLivePostgres } from '../lab.ts'
import { edited, makingOn } from './make-on-servers.ts'

const confirmed = makingOn('single')
const layer = '003-postgres-skip-locked'

const first = (at: string) => ({ at, consumer: 0, nth: 1 })
const atStatement = (at: string, label: string) => ({ ...first(at), of: { label } })

/**
 * A message is delivered twice, to two consumers. The second INSERT waits for the first
 * transaction.
 */
const waiting = { ...twice, consumers: 2, effectMs: 50 }

/** Effects are rows of the same database. */
const onRows = { sink: 'transactional' } as const

const crash = { faults: [planned('crash', first('effect-applied'), { healAfterMs: 100 })] }

/** Moves the step of that name to the position that `to` returns among the other steps. */
const moved =
  (name: string, to: (steps: readonly ScheduleStep[], at: number) => number) =>
  (schedule: Schedule): Schedule => {
    const at = schedule.steps.findIndex(({ step }) => stepText(step) === name)
    const rest = schedule.steps.toSpliced(at, 1)
    const place = to(rest, at)
    return { ...schedule, steps: rest.toSpliced(place, 0, { ...schedule.steps[at]!, atUs: rest[place - 1]!.atUs }) }
  }

describeLivePostgres('a run of the simulator, replayed on a real PostgreSQL,', (lab) => {
  it('is confirmed if a process dies between its effect and its COMMIT, with its session', async () => {
    const made = await confirmed(lab, layer, crash)
    expect(made).toMatchObject({
      answer: 'confirmed',
      expected: { invariant: 'at-most-once', kind: 'repeat-after-crash' },
      left: null,
    })
  })

  it('is confirmed if COMMIT is lost and the effect is repeated', async () => {
    const made = await confirmed(lab, layer, {
      faults: [planned('lost-request', atStatement('command-unexecuted', 'COMMIT'))],
    })
    expect(made).toMatchObject({ answer: 'confirmed', expected: { kind: 'repeat-after-error' } })
  })

  it('is confirmed to hold if the answer to COMMIT is lost', async () => {
    const faults = [planned('lost-reply', atStatement('command-executed', 'COMMIT'))]
    const made = await confirmed(lab, layer, { faults }, { holds: true })
    expect(made).toMatchObject({ answer: 'confirmed', expected: null, left: null })
  })

  it('is confirmed if one session waits for the transaction of another', async () => {
    const made = await confirmed(lab, layer, waiting, { holds: true })
    expect(made).toMatchObject({ answer: 'confirmed', left: null })
  })

  it('is confirmed if several sessions of one process send and receive the same', async () => {
    const messages = ['order-1', 'order-2', 'order-3', 'order-4'].map((key) => ({ key, payload: {}, publishAtMs: 0 }))
    const made = await confirmed(
      lab,
      '../reference/reference-postgres',
      { messages, ...crash },
      { ...onRows, holds: true },
    )
    expect(made).toMatchObject({ answer: 'confirmed', left: null })
  })

  it('is confirmed if the process of the holder is paused while another session waits for it', async () => {
    const faults = [...twice.faults!, planned('pause', first('effect-unsent'), { healAfterMs: 300 })]
    const made = await confirmed(lab, layer, { ...waiting, faults }, { holds: true })
    expect(made).toMatchObject({ answer: 'confirmed', left: null })
  })

  it.each(['refuse', 'fail'])('is confirmed if an effect has no statement: %s', async (how) => {
    const faults = [...twice.faults!, planned('effect-fails-before', first('effect-unsent'), { how })]
    const made = await confirmed(lab, layer, { ...waiting, faults }, { holds: true })
    expect(made).toMatchObject({ answer: 'confirmed', left: null })
  })

  it('is confirmed if the server is killed with an open transaction and restarts', async () => {
    const faults = [planned('postgres-restart', first('effect-applied'), { healAfterMs: 200 })]
    const made = await confirmed(lab, layer, { faults })
    expect(made).toMatchObject({ answer: 'confirmed', expected: { invariant: 'at-most-once' }, left: null })
  })

  it.each([
    ['the answer to COMMIT is lost', [planned('lost-reply', atStatement('command-executed', 'COMMIT'))]],
    [
      'a process dies after it has written the row of the effect',
      [planned('crash', atStatement('reply-received', 'INSERT onceproof_effects'), { healAfterMs: 100 })],
    ],
  ])('has its effects at the scheduled commits: %s', async (_, faults) => {
    const made = await confirmed(lab, layer, { faults }, { holds: true, sink: 'transactional' })
    expect(made).toMatchObject({ answer: 'confirmed', left: null, why: null })
  })

  it('is not confirmed with a layer that was changed to hold, and reports where it left the path', async () => {
    const made = await confirmed(lab, layer, crash, { live: edited('commits-first') })
    expect(made).toMatchObject({
      answer: 'not confirmed',
      left: { expected: 'consumer-1 effect-sent order-1', seen: 'consumer-1 command-unsent COMMIT order-1' },
    })
  })

  it('is undecided if a statement waits that did not wait in the schedule', async () => {
    const executed = 'consumer-1 command-executed INSERT idempotency_records order-1'
    const schedule = moved(
      executed,
      (steps) => 1 + steps.findIndex(({ step }) => stepText(step) === executed.replace('executed', 'unexecuted')),
    )
    const made = await confirmed(lab, layer, waiting, { holds: true, schedule })
    expect(made).toMatchObject({
      answer: 'cannot be said',
      reason: 'servers',
      left: { seen: `${executed}: it waits for another session` },
    })
  })

  it('is undecided if a statement does not wait that waited in the schedule', async () => {
    const executed = 'consumer-2 command-executed INSERT idempotency_records order-1'
    const schedule = moved(
      executed,
      (steps, at) =>
        steps.findIndex(({ step }, number) => number >= at && stepText(step).startsWith('consumer-1 ')) + 1,
    )
    const made = await confirmed(lab, layer, waiting, { holds: true, schedule })
    expect(made).toMatchObject({
      answer: 'cannot be said',
      reason: 'servers',
      left: { seen: `${executed}: it does not wait` },
    })
  })
})
