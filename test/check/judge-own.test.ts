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

it('an own invariant is judged beside the built-in ones, in the requested order', () => {
  const history = applied().done(1).rest()
  const judgements = judge(history, ['own:mine', 'at-most-once'], [effectsSeen('always')])
  expect(judgements.map(({ name, verdict }) => [name, verdict.verdict])).toEqual([
    ['own:mine', 'violated'],
    ['at-most-once', 'valid'],
  ])
})

it('an own invariant is valid without findings', () => {
  expect(verdictOf(found(() => ({})))).toEqual({ verdict: 'valid' })
})

it('only findings that hold in a broken-off run count there', () => {
  const brokenOff = () => applied().breakOff()
  expect(verdictOf(effectsSeen('always'), brokenOff()).verdict).toBe('violated')
  expect(verdictOf(effectsSeen('whereSupported'), brokenOff()).verdict).toBe('violated')
  expect(verdictOf(effectsSeen('atEnd'), brokenOff()).verdict).toBe('unknown')
  expect(verdictOf(effectsSeen('atEnd')).verdict).toBe('violated')
})

it('an own invariant is unknown if it has a doubt', () => {
  expect(verdictOf(found(() => ({ doubt: 'no produced-at times' })))).toEqual({
    verdict: 'unknown',
    reason: 'no produced-at times',
  })
})

const violation = { kind: 'late', key: null, sentence: 'late', events: [1] }
const wrong: readonly [string, () => unknown, RegExp][] = [
  ['throws', () => Object.keys(undefined as unknown as object), /^its `judge` threw \(Cannot convert/],
  ['returns nothing', () => undefined, /returned no findings; return `\{\}` if nothing is wrong/],
  ['returns a promise', async () => ({ always: [violation] }), /returned a promise; return findings synchronously/],
  ['returns a verdict', () => ({ violations: [violation] }), /returned an unknown `violations`/],
  ['returns a single violation', () => ({ always: violation }), /whose `always` is not a list/],
  [
    'returns a kind of two words',
    () => ({ atEnd: [{ ...violation, kind: 'too late' }] }),
    /in `atEnd` without a kind of one/,
  ],
  ['returns a number as doubt', () => ({ doubt: 1 }), /a `doubt` that is not a string/],
]
it.each(wrong)('an own invariant is unknown with the reason if its judge %s', (_, judge, reason) => {
  const verdict = verdictOf(found(judge as OwnInvariant['judge']))
  expect(verdict).toEqual({ verdict: 'unknown', reason: expect.stringMatching(reason) })
})
