import { expect, it } from 'vitest'
import { judge } from '../../../src/check/index.ts'
import { vanishedAtWork } from '../../../src/check/own/vanished-at-work.ts'
import type { History } from '../../../src/contract/api/history.ts'
import { aRun } from '../history-builder.ts'

const verdictOf = (history: History) => judge(history, ['own:vanished-at-work'], [vanishedAtWork])[0]!.verdict

const reason = 'in-doubt: attempt-vanished'

/** One delivery has sent its request, and another one has the second copy of the message. */
const atWork = (declares: Parameters<typeof aRun>[0] = { deadLetterReasons: { vanished: reason } }) =>
  aRun(declares)
    .publish('m1')
    .publish('m2')
    .deliver(1, 'm1', 'consumer-1')
    .at(5)
    .send(1, 1)
    .at(200)
    .deliver(2, 'm2', 'consumer-2')

it('a working attempt has not vanished, however long its lease has been over', () => {
  const deadLettered = atWork().answer(2, { status: 'dead-letter', reason }).settle('m2', 'dead-lettered', reason)
  const verdict = verdictOf(deadLettered.at(300).apply(1).done(1).settle('m1', 'done').rest())
  expect(verdict).toMatchObject({ verdict: 'violated', violations: [{ kind: 'vanished-at-work', key: 'k1' }] })
})

it('the reason of a layer without the declaration may mean anything', () => {
  const deadLettered = (declares: Parameters<typeof aRun>[0]) =>
    verdictOf(
      atWork(declares)
        .answer(2, { status: 'dead-letter', reason })
        .settle('m2', 'dead-lettered', reason)
        .at(300)
        .apply(1)
        .done(1)
        .settle('m1', 'done')
        .rest(),
    )
  const notAsked = { verdict: 'n/a', reason: 'the layer does not declare `deadLetterReasons.vanished`' }
  expect(deadLettered({})).toEqual(notAsked)
  expect(deadLettered({ deadLetterReasons: { failed: { reason, attempts: 3 } } })).toEqual(notAsked)
  expect(deadLettered({ deadLetterReasons: { vanished: 'gone' } }).verdict).toBe('valid')
})

it('an attempt of a dead process has vanished', () => {
  const deadLettered = atWork()
    .crash('consumer-1')
    .answer(2, { status: 'dead-letter', reason })
    .settle('m2', 'dead-lettered', reason)
  expect(verdictOf(deadLettered.rest()).verdict).toBe('valid')
})

it('an attempt that has answered is no longer working', () => {
  const answered = atWork().answer(1, { status: 'dead-letter', reason: 'in-doubt: effect-unanswered' })
  const deadLettered = answered.answer(2, { status: 'dead-letter', reason }).settle('m2', 'dead-lettered', reason)
  expect(verdictOf(deadLettered.rest()).verdict).toBe('valid')
})

it('an attempt that has sent nothing yet may be anywhere', () => {
  const deadLettered = aRun({ deadLetterReasons: { vanished: reason } })
    .publish('m1')
    .deliver(1, 'm1', 'consumer-1')
    .deliver(2, 'm1', 'consumer-2')
    .answer(2, { status: 'dead-letter', reason })
    .settle('m1', 'dead-lettered', reason)
  expect(verdictOf(deadLettered.rest()).verdict).toBe('valid')
})

it('a layer that reports an ended lease is right', () => {
  const said = 'the lease of another consumer has ended'
  const deadLettered = atWork().answer(2, { status: 'dead-letter', reason: said }).settle('m2', 'dead-lettered', said)
  expect(verdictOf(deadLettered.rest()).verdict).toBe('valid')
})
