import { expect, it } from 'vitest'
import { judge } from '../../../src/check/index.ts'
import { givenUpTooSoon } from '../../../src/check/own/given-up-too-soon.ts'
import type { History } from '../../../src/contract/api/history.ts'
import { aRun, type HistoryBuilder } from '../history-builder.ts'

const verdictOf = (history: History) => judge(history, ['own:given-up-too-soon'], [givenUpTooSoon])[0]!.verdict

const retry = { status: 'retry' } as const
const failed = { status: 'dead-letter', reason: 'failed: 3 attempts' } as const
const deadLetterReasons = { failed: { reason: failed.reason, attempts: 3 } }

/** Two attempts fail on their own. */
const twoFailed = (declares: Parameters<typeof aRun>[0] = { deadLetterReasons }) =>
  aRun(declares)
    .publish('m1')
    .deliver(1, 'm1', 'consumer-1')
    .at(10)
    .answer(1, retry)
    .deliver(2, 'm1', 'consumer-1', 2)
    .at(20)
    .answer(2, retry)

/** The third one ends, and the next delivery dead-letters the message. */
const thirdThenDeadLettered = (third: HistoryBuilder) =>
  third
    .at(900)
    .answer(3, retry)
    .deliver(4, 'm1', 'consumer-1', 4)
    .answer(4, failed)
    .settle('m1', 'dead-lettered', failed.reason)

const silent = (declares?: Parameters<typeof aRun>[0]) =>
  twoFailed(declares).deliver(3, 'm1', 'consumer-1', 3).at(30).strike('slow-redis').at(800).heal('slow-redis')

it('an attempt while Redis was paused does not count', () => {
  const verdict = verdictOf(thirdThenDeadLettered(silent()).rest())
  expect(verdict).toMatchObject({ verdict: 'violated', violations: [{ kind: 'given-up-too-soon', key: 'k1' }] })
})

it('the reason of a layer without the declaration may mean anything', () => {
  const notAsked = { verdict: 'n/a', reason: 'the layer does not declare `deadLetterReasons.failed`' }
  expect(verdictOf(thirdThenDeadLettered(silent({})).rest())).toEqual(notAsked)
  expect(verdictOf(thirdThenDeadLettered(silent({ deadLetterReasons: { vanished: 'gone' } })).rest())).toEqual(notAsked)
  const other = { failed: { reason: 'given up', attempts: 3 } }
  expect(verdictOf(thirdThenDeadLettered(silent({ deadLetterReasons: other })).rest()).verdict).toBe('valid')
})

it('a layer is held to its declared number', () => {
  const declared = (attempts: number) => ({ deadLetterReasons: { failed: { ...deadLetterReasons.failed, attempts } } })
  expect(verdictOf(thirdThenDeadLettered(silent(declared(2))).rest()).verdict).toBe('valid')
  expect(
    verdictOf(thirdThenDeadLettered(twoFailed(declared(4)).deliver(3, 'm1', 'consumer-1', 3)).rest()).verdict,
  ).toBe('violated')
})

it('three failures while Redis answered are three', () => {
  expect(verdictOf(thirdThenDeadLettered(twoFailed().deliver(3, 'm1', 'consumer-1', 3)).rest()).verdict).toBe('valid')
})

it('a pause before the attempt does not excuse it', () => {
  const before = aRun({ deadLetterReasons }).publish('m1').strike('slow-redis').at(5).heal('slow-redis')
  const three = [1, 2, 3].reduce(
    (run, n) =>
      run
        .deliver(n, 'm1', 'consumer-1', n)
        .at(10 * n)
        .answer(n, retry),
    before,
  )
  const deadLettered = three
    .deliver(4, 'm1', 'consumer-1', 4)
    .answer(4, failed)
    .settle('m1', 'dead-lettered', failed.reason)
  expect(verdictOf(deadLettered.rest()).verdict).toBe('valid')
})

it('an attempt that met another holder has tried nothing', () => {
  const held = twoFailed()
    .deliver(3, 'm1', 'consumer-1', 3)
    .answer(3, { ...retry, afterMs: 50 })
    .deliver(4, 'm1', 'consumer-1', 4)
    .answer(4, failed)
    .settle('m1', 'dead-lettered', failed.reason)
  expect(verdictOf(held.rest()).verdict).toBe('violated')
})

it('a process that died with the key may have failed on its own', () => {
  const died = silent().crash('consumer-1').deliver(4, 'm1', 'consumer-1.2', 4).answer(4, failed)
  expect(verdictOf(died.settle('m1', 'dead-lettered', failed.reason).rest()).verdict).toBe('valid')
})

it('a sent request may have failed on its own', () => {
  expect(verdictOf(thirdThenDeadLettered(silent().send(1, 3)).rest()).verdict).toBe('valid')
})

it('a layer that dead-letters for another reason, or not at all, is valid', () => {
  const other = silent().at(900).answer(3, { status: 'dead-letter', reason: 'in-doubt: attempt-vanished' })
  expect(verdictOf(other.settle('m1', 'dead-lettered', 'in-doubt: attempt-vanished').rest()).verdict).toBe('valid')
  expect(verdictOf(silent().at(900).send(1, 3).apply(1).done(3).settle('m1', 'done').rest()).verdict).toBe('valid')
})
