import { describe, expect, test } from 'vitest'
import type { Boundary } from '../../src/contract/api/plan.ts'
import { Neighbours } from '../../src/run/neighbours.ts'
import { eventOf } from '../../src/run/runner.ts'

const consumer = { name: 'consumer-1', slot: 0, state: 'running' } as const
const at = (boundary: Boundary, label: string | null) =>
  eventOf({ ...consumer, incarnation: 1 } as never, boundary, label)

function afterGet(): Neighbours {
  const neighbours = new Neighbours()
  neighbours.pass('consumer-1', 1, 'command-executed', 'GET')
  return neighbours
}

describe('neighboring commands of an attempt', () => {
  test('are separated by what strikes between the two, and by nothing before or after', () => {
    const neighbours = new Neighbours()
    neighbours.struck('clock-step', null)
    neighbours.pass('consumer-1', 1, 'command-executed', 'GET')
    neighbours.struck('pause', at('command-unsent', 'SET'))
    neighbours.pass('consumer-1', 1, 'command-executed', 'SET')
    neighbours.pass('consumer-1', 1, 'effect-applied', null)
    neighbours.struck('lost-reply', at('effect-applied', null))
    expect([...neighbours.pairs]).toEqual(['GET → SET', 'SET → the effect'])
    expect([...neighbours.separated]).toEqual(['pause: GET → SET'])
  })

  test('belong to one delivery', () => {
    const neighbours = afterGet()
    neighbours.pass('consumer-1', 2, 'command-executed', 'SET')
    neighbours.pass('consumer-1', 1, 'answered', null)
    neighbours.pass('consumer-1', 1, 'command-executed', 'DEL')
    expect(neighbours.pairs.size).toBe(0)
  })

  test('are not separated by what strikes another process', () => {
    const neighbours = afterGet()
    neighbours.struck('pause', null, 'consumer-2')
    neighbours.pass('consumer-1', 1, 'command-executed', 'SET')
    expect(neighbours.separated.size).toBe(0)
  })

  test('are separated by a crash, which no command follows', () => {
    const before = afterGet()
    before.struck('crash', at('command-unsent', 'SET'))
    expect([...before.separated]).toEqual(['crash: GET → SET'])
    const after = afterGet()
    after.struck('crash', at('command-executed', 'GET'))
    after.struck('clock-step', null)
    expect([...after.separated]).toEqual(['crash: GET → '])
  })
})
