/** Runs of layers on PostgreSQL that break in the simulator, made on a real server step by step. */
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
 * A message that is there twice, for two consumers: the second one's INSERT waits for the first
 * one's transaction.
 */
const waiting = { ...twice, consumers: 2, effectMs: 50 }

/** Effects are rows of the same database. */
const onRows = { sink: 'transactional' } as const

const crash = { faults: [planned('crash', first('effect-applied'), { healAfterMs: 100 })] }

/** With the step of that name elsewhere: `to` says where it comes, without it. */
const moved =
  (name: string, to: (steps: readonly ScheduleStep[], at: number) => number) =>
  (schedule: Schedule): Schedule => {
    const at = schedule.steps.findIndex(({ step }) => stepText(step) === name)
    const rest = schedule.steps.toSpliced(at, 1)
    const place = to(rest, at)
    return { ...schedule, steps: rest.toSpliced(place, 0, { ...schedule.steps[at]!, atUs: rest[place - 1]!.atUs }) }
  }

describeLivePostgres('a run of the simulator on a real PostgreSQL', (lab) => {
  it('is confirmed where a process dies between its effect and its COMMIT, and its session with it', async () => {
    const made = await confirmed(lab, layer, crash)
    expect(made).toMatchObject({
      answer: 'confirmed',
      expected: { invariant: 'at-most-once', kind: 'repeat-after-crash' },
      left: null,
    })
  })

  it('is confirmed where COMMIT is lost on its way, and the effect comes again', async () => {
    const made = await confirmed(lab, layer, {
      faults: [planned('lost-request', atStatement('command-unexecuted', 'COMMIT'))],
    })
    expect(made).toMatchObject({ answer: 'confirmed', expected: { kind: 'repeat-after-error' } })
  })

  it('is confirmed where it holds though the answer to COMMIT is lost', async () => {
    const faults = [planned('lost-reply', atStatement('command-executed', 'COMMIT'))]
    const made = await confirmed(lab, layer, { faults }, { holds: true })
    expect(made).toMatchObject({ answer: 'confirmed', expected: null, left: null })
  })

  it('is confirmed where one session waits for another one’s transaction', async () => {
    const made = await confirmed(lab, layer, waiting, { holds: true })
    expect(made).toMatchObject({ answer: 'confirmed', left: null })
  })

  it('is confirmed where several sessions of one process say the same, and hear the same', async () => {
    const messages = ['order-1', 'order-2', 'order-3', 'order-4'].map((key) => ({ key, payload: {}, publishAtMs: 0 }))
    const made = await confirmed(
      lab,
      '../reference/reference-postgres',
      { messages, ...crash },
      { ...onRows, holds: true },
    )
    expect(made).toMatchObject({ answer: 'confirmed', left: null })
  })

  it('is confirmed where the holder’s process is stopped while another session waits for it', async () => {
    const faults = [...twice.faults!, planned('pause', first('effect-unsent'), { healAfterMs: 300 })]
    const made = await confirmed(lab, layer, { ...waiting, faults }, { holds: true })
    expect(made).toMatchObject({ answer: 'confirmed', left: null })
  })

  it.each(['refuse', 'fail'])('is confirmed where an effect has no statement: %s', async (how) => {
    const faults = [...twice.faults!, planned('effect-fails-before', first('effect-unsent'), { how })]
    const made = await confirmed(lab, layer, { ...waiting, faults }, { holds: true })
    expect(made).toMatchObject({ answer: 'confirmed', left: null })
  })

  it('is confirmed where the server is killed with a transaction open, and comes back', async () => {
    const faults = [planned('postgres-restart', first('effect-applied'), { healAfterMs: 200 })]
    const made = await confirmed(lab, layer, { faults })
    expect(made).toMatchObject({ answer: 'confirmed', expected: { invariant: 'at-most-once' }, left: null })
  })

  it.each([
    ['the answer to COMMIT is lost', [planned('lost-reply', atStatement('command-executed', 'COMMIT'))]],
    [
      'a process dies with the effect’s row written',
      [planned('crash', atStatement('reply-received', 'INSERT onceproof_effects'), { healAfterMs: 100 })],
    ],
  ])('has its effects where they were committed in the schedule: %s', async (_, faults) => {
    const made = await confirmed(lab, layer, { faults }, { holds: true, sink: 'transactional' })
    expect(made).toMatchObject({ answer: 'confirmed', left: null, why: null })
  })

  it('is not confirmed with a layer that was edited so that it holds, and says where that left the path', async () => {
    const made = await confirmed(lab, layer, crash, { live: edited('commits-first') })
    expect(made).toMatchObject({
      answer: 'not confirmed',
      left: { expected: 'consumer-1 effect-sent order-1', seen: 'consumer-1 command-unsent COMMIT order-1' },
    })
  })

  it('cannot be said where a statement waits that waited for nobody in the schedule', async () => {
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

  it('cannot be said where a statement waits for nobody that waited in the schedule', async () => {
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
