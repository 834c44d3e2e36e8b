import { expect, it } from 'vitest'
import { judge } from '../../../src/check/index.ts'
import { givenUpTooLate } from '../../../src/check/own/given-up-too-late.ts'
import type { History } from '../../../src/contract/api/history.ts'
import { aRun } from '../history-builder.ts'

const verdictOf = (history: History) => judge(history, ['own:given-up-too-late'], [givenUpTooLate])[0]!.verdict

const reason = 'failed: 2 attempts'
const failed = { reason, attempts: 2, retry: 'prepare-failed' }
const retry = { status: 'retry', reason: 'prepare-failed' } as const

/** Attempts that end with these retries. */
const ended = (retries: readonly { readonly status: 'retry'; readonly reason: string }[], declared: object = failed) =>
  retries.reduce(
    (run, outcome, n) =>
      run
        .at(10 * n)
        .deliver(n + 1, 'm1', 'consumer-1', n + 1)
        .answer(n + 1, outcome),
    aRun({ deadLetterReasons: { failed: declared as typeof failed } }).publish('m1'),
  )

it('a message is given up too late if it is tried again after the declared number of failures, whether it fails or succeeds', () => {
  const late = { verdict: 'violated', violations: [{ kind: 'given-up-too-late', key: 'k1' }] }
  expect(verdictOf(ended([retry, retry, retry]).rest())).toMatchObject(late)
  const sends = ended([retry, retry]).deliver(3, 'm1', 'consumer-1', 3).send(1, 3).apply(1).done(3)
  expect(verdictOf(sends.settle('m1', 'done').rest())).toMatchObject(late)
})

it('the last attempt may succeed, and one more delivery may report that none is left', () => {
  const done = ended([retry]).deliver(2, 'm1', 'consumer-1', 2).send(1, 2).apply(1).done(2).settle('m1', 'done')
  expect(verdictOf(done.rest()).verdict).toBe('valid')
  const deadLettered = ended([retry, retry])
    .deliver(3, 'm1', 'consumer-1', 3)
    .answer(3, { status: 'dead-letter', reason })
    .settle('m1', 'dead-lettered', reason)
  expect(verdictOf(deadLettered.rest()).verdict).toBe('valid')
})

it('a retry for another reason does not count', () => {
  const silent = { status: 'retry', reason: 'redis-unreachable' } as const
  const done = ended([retry, silent, silent]).deliver(4, 'm1', 'consumer-1', 4).send(1, 4).apply(1).done(4)
  expect(verdictOf(done.settle('m1', 'done').rest()).verdict).toBe('valid')
})

it('a request of a delivery that began before the last failure is not too late', () => {
  const both = aRun({ deadLetterReasons: { failed } })
    .publish('m1')
    .deliver(1, 'm1', 'consumer-1')
    .deliver(2, 'm1', 'consumer-2')
    .deliver(3, 'm1', 'consumer-3')
    .answer(1, retry)
    .answer(2, retry)
    .send(1, 3)
    .apply(1)
    .done(3)
  expect(verdictOf(both.settle('m1', 'done').rest()).verdict).toBe('valid')
})

it('a layer that declares no such retry is not checked', () => {
  const { retry: _, ...unnamed } = failed
  expect(verdictOf(ended([retry, retry, retry], unnamed).rest())).toEqual({
    verdict: 'n/a',
    reason: 'the layer does not declare `deadLetterReasons.failed.retry`',
  })
})
