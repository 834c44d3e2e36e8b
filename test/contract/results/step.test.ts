/** Steps of a run as values, and their texts. */
import { describe, expect, it } from 'vitest'
import { type Pass, type Step, sameStep, stepText } from '../../../src/contract/results/step.ts'
import { stepOf } from '../../run/step-of.ts'

const pass: Pass = {
  kind: 'pass',
  process: 'consumer-1',
  boundary: 'command-unexecuted',
  label: 'EVALSHA acquire',
  key: 'order 1',
  hungUp: false,
}

describe('a step', () => {
  it('equals a step with the same values', () => {
    expect(sameStep(pass, { ...pass })).toBe(true)
    expect(
      sameStep(stepOf('redis-1a knows ok redis-1a+redis-1b -'), stepOf('redis-1a knows ok redis-1a+redis-1b -')),
    ).toBe(true)
  })

  it.each<[string, Step]>([
    ['another process', { ...pass, process: 'consumer-2' }],
    ['another key', { ...pass, key: 'order 2' }],
    ['a key and a label with the same text', { ...pass, label: 'EVALSHA acquire order', key: '1' }],
    ['a closed connection', { ...pass, hungUp: true }],
  ])('differs from a step with %s', (_, other) => {
    expect(sameStep(pass, other)).toBe(false)
  })

  it('differs from a step with another view of the servers', () => {
    expect(sameStep(stepOf('redis-1a knows ok redis-1a'), stepOf('redis-1a knows ok redis-1b'))).toBe(false)
    expect(sameStep(stepOf('redis-1a knows ok redis-1a'), stepOf('redis-1a knows ok redis-1a failing redis-1b'))).toBe(
      false,
    )
  })

  it('differs from null', () => {
    expect(sameStep(pass, null)).toBe(false)
  })

  it('has its values in its text, except those that are null', () => {
    expect(stepText({ ...pass, hungUp: true })).toBe('consumer-1 command-unexecuted EVALSHA acquire order 1 (hung up)')
    expect(stepText({ ...pass, boundary: 'answered', label: null, key: null })).toBe('consumer-1 answered')
  })
})
