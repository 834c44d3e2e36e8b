import { expect, it } from 'vitest'
import { judge } from '../../../src/check/index.ts'
import { vanishedAtWork } from '../../../src/check/own/vanished-at-work.ts'
import type { History } from '../../../src/contract/api/history.ts'
import { aRun } from '../history-builder.ts'

const verdictOf = (history: History) => judge(history, ['own:vanished-at-work'], [vanishedAtWork])[0]!.verdict

const reason = 'in-doubt: attempt-vanished'

/** One has sent its request, and another one has the message's second copy. */
const atWork = (declares: Parameters<typeof aRun>[0] = { parkReasons: { vanished: reason } }) =>
  aRun(declares)
    .publish('m1')
    .publish('m2')
    .deliver(1, 'm1', 'consumer-1')
    .at(5)
    .send(1, 1)
    .at(200)
    .deliver(2, 'm2', 'consumer-2')

it('who is at work has not vanished, however long its lease has been over', () => {
  const parked = atWork().answer(2, { status: 'park', reason }).settle('m2', 'parked', reason)
  const verdict = verdictOf(parked.at(300).apply(1).done(1).settle('m1', 'done').rest())
  expect(verdict).toMatchObject({ verdict: 'violated', violations: [{ kind: 'vanished-at-work', key: 'k1' }] })
})

it('a layer that declares no such reason may mean anything by those words', () => {
  const parked = (declares: Parameters<typeof aRun>[0]) =>
    verdictOf(
      atWork(declares)
        .answer(2, { status: 'park', reason })
        .settle('m2', 'parked', reason)
        .at(300)
        .apply(1)
        .done(1)
        .settle('m1', 'done')
        .rest(),
    )
  const notAsked = { verdict: 'n/a', reason: 'the layer does not declare `parkReasons.vanished`' }
  expect(parked({})).toEqual(notAsked)
  expect(parked({ parkReasons: { failed: { reason, attempts: 3 } } })).toEqual(notAsked)
  expect(parked({ parkReasons: { vanished: 'gone' } }).verdict).toBe('valid')
})

it('who has died has vanished', () => {
  const parked = atWork().crash('consumer-1').answer(2, { status: 'park', reason }).settle('m2', 'parked', reason)
  expect(verdictOf(parked.rest()).verdict).toBe('valid')
})

it('who has answered is not at work any more', () => {
  const answered = atWork().answer(1, { status: 'park', reason: 'in-doubt: effect-unanswered' })
  const parked = answered.answer(2, { status: 'park', reason }).settle('m2', 'parked', reason)
  expect(verdictOf(parked.rest()).verdict).toBe('valid')
})

it('who has sent nothing yet may be anywhere', () => {
  const parked = aRun({ parkReasons: { vanished: reason } })
    .publish('m1')
    .deliver(1, 'm1', 'consumer-1')
    .deliver(2, 'm1', 'consumer-2')
    .answer(2, { status: 'park', reason })
    .settle('m1', 'parked', reason)
  expect(verdictOf(parked.rest()).verdict).toBe('valid')
})

it('a layer that says that a lease has ended says what is so', () => {
  const said = 'the lease of another consumer has ended'
  const parked = atWork().answer(2, { status: 'park', reason: said }).settle('m2', 'parked', said)
  expect(verdictOf(parked.rest()).verdict).toBe('valid')
})
