import { describe, expect, it } from 'vitest'
import { checkedOutcome } from '../../src/run/checked-outcome.ts'

const checked = (outcome: unknown) => checkedOutcome(outcome, String)

describe('an outcome on the network', () => {
  it('has only the members of its status', () => {
    expect(checked({ status: 'done', result: 'charged', reason: 'none' })).toEqual({
      outcome: { status: 'done', result: 'charged' },
    })
    expect(checked({ status: 'done' })).toEqual({ outcome: { status: 'done', result: null } })
    expect(checked({ status: 'dead-letter', reason: 7 })).toEqual({ outcome: { status: 'dead-letter', reason: '7' } })
  })

  it.each([
    ['a number that JSON lacks', -0, 0],
    ['a date', new Date(0), '1970-01-01T00:00:00.000Z'],
    ['undefined members', { amount: 1, note: undefined }, { amount: 1 }],
    ['an object with toJSON', { toJSON: () => 'its own' }, 'its own'],
  ])('is a copy in JSON: %s', (_, result, reported) => {
    const answer = checked({ status: 'done', result })
    expect(answer).toStrictEqual({ outcome: { status: 'done', result: reported } })
    expect(Object.is((answer as { outcome: { result: unknown } }).outcome.result, -0)).toBe(false)
  })

  it('omits a result that JSON omits', () => {
    expect(checked({ status: 'done', result: () => 1 })).toStrictEqual({ outcome: { status: 'done' } })
  })

  it('is not changed by its handler later', () => {
    const result = { amount: 1 }
    const answer = checked({ status: 'done', result })
    result.amount = 2
    expect(answer).toEqual({ outcome: { status: 'done', result: { amount: 1 } } })
  })

  it('is an error of the adapter if it is not JSON or not an outcome', () => {
    expect(checked({ status: 'done', result: 1n })).toMatchObject({ notAnOutcome: true })
    expect(checked({ status: 'retry', afterMs: -1 })).toMatchObject({ notAnOutcome: true })
    expect(checked('done')).toMatchObject({ notAnOutcome: true })
  })
})
