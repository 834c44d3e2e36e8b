import { expect, it } from 'vitest'
import { judge } from '../../src/check/index.ts'
import { defineInvariant, type Findings, type OwnInvariant } from '../../src/contract/api/verdict.ts'
import { aRun } from './history-builder.ts'

const applied = () => aRun().publish('m1').deliver(1, 'm1', 'consumer-1').at(5).send(1, 1).apply(1)
const found = (judge: OwnInvariant['judge']): OwnInvariant => defineInvariant({ id: 'mine', about: 'Mine.', judge })
const verdictOf = (own: OwnInvariant, history = applied().done(1).rest()) =>
  judge(history, ['own:mine'], [own])[0]!.verdict

const effectsSeen = (where: keyof Findings) =>
  found((_, index) => ({
    [where]: index.of('effect-applied').map(({ key, seq }) => ({ kind: 'seen', key, sentence: 'seen', events: [seq] })),
  }))

it('an own invariant is judged beside those that are built in, in the order that was asked for', () => {
  const history = applied().done(1).rest()
  const judgements = judge(history, ['own:mine', 'at-most-once'], [effectsSeen('always')])
  expect(judgements.map(({ name, verdict }) => [name, verdict.verdict])).toEqual([
    ['own:mine', 'violated'],
    ['at-most-once', 'valid'],
  ])
})

it('finds nothing where nothing is wrong', () => {
  expect(verdictOf(found(() => ({})))).toEqual({ verdict: 'valid' })
})

it('of a run that was broken off, only what stands in such runs counts', () => {
  const brokenOff = () => applied().breakOff()
  expect(verdictOf(effectsSeen('always'), brokenOff()).verdict).toBe('violated')
  expect(verdictOf(effectsSeen('whereSupported'), brokenOff()).verdict).toBe('violated')
  expect(verdictOf(effectsSeen('atEnd'), brokenOff()).verdict).toBe('unknown')
  expect(verdictOf(effectsSeen('atEnd')).verdict).toBe('violated')
})

it('is unknown where it says that it cannot tell', () => {
  expect(verdictOf(found(() => ({ doubt: 'no produced-at times' })))).toEqual({
    verdict: 'unknown',
    reason: 'no produced-at times',
  })
})

const violation = { kind: 'late', key: null, sentence: 'late', events: [1] }
const wrong: readonly [string, () => unknown, RegExp][] = [
  ['throws', () => Object.keys(undefined as unknown as object), /^its `judge` threw \(Cannot convert/],
  ['gives nothing', () => undefined, /gave no findings; return `\{\}` if nothing is wrong/],
  ['gives a promise', async () => ({ always: [violation] }), /gave a promise; return findings synchronously/],
  ['gives a verdict', () => ({ violations: [violation] }), /gave an unknown `violations`/],
  ['gives one violation', () => ({ always: violation }), /whose `always` is not a list/],
  [
    'gives a kind of two words',
    () => ({ atEnd: [{ ...violation, kind: 'too late' }] }),
    /in `atEnd` without a kind of one/,
  ],
  ['doubts with a number', () => ({ doubt: 1 }), /a `doubt` that is not a string/],
]
it.each(wrong)('is unknown, and says why, where its judge %s', (_, judge, reason) => {
  const verdict = verdictOf(found(judge as OwnInvariant['judge']))
  expect(verdict).toEqual({ verdict: 'unknown', reason: expect.stringMatching(reason) })
})
