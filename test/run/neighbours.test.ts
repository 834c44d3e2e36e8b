import { describe, expect, test } from 'vitest'
import type { Boundary } from '../../src/contract/api/plan.ts'
import { Neighbours } from '../../src/run/neighbours.ts'
import { eventOf } from '../../src/run/runner.ts'

const consumer = { name: 'consumer-1', slot: 0, state: 'running' } as const
const at = (boundary: Boundary, label: string | null) =>
  eventOf({ ...consumer, incarnation: 1 } as never, boundary, label)

function execute(neighbours: Neighbours, delivery: number, label: string): void {
  neighbours.pass('consumer-1', delivery, 'command-unsent', label)
  neighbours.pass('consumer-1', delivery, 'command-executed', label)
}

function afterGet(): Neighbours {
  const neighbours = new Neighbours()
  execute(neighbours, 1, 'GET')
  return neighbours
}

describe('neighboring commands of an attempt', () => {
  test('are separated by a fault between the two, but not before or after', () => {
    const neighbours = new Neighbours()
    neighbours.struck('clock-step', null)
    execute(neighbours, 1, 'GET')
    neighbours.struck('pause', at('command-unsent', 'SET'))
    execute(neighbours, 1, 'SET')
    neighbours.pass('consumer-1', 1, 'effect-unsent', null)
    neighbours.pass('consumer-1', 1, 'effect-applied', null)
    neighbours.struck('lost-reply', at('effect-applied', null))
    expect([...neighbours.pairs]).toEqual(['GET → SET', 'SET → the effect'])
    expect([...neighbours.separated]).toEqual(['pause: GET → SET'])
  })

  test('belong to one delivery', () => {
    const neighbours = afterGet()
    execute(neighbours, 2, 'SET')
    neighbours.pass('consumer-1', 1, 'command-unsent', 'DEL')
    neighbours.pass('consumer-1', 1, 'answered', null)
    neighbours.pass('consumer-1', 2, 'command-executed', 'DEL')
    execute(neighbours, 1, 'EXPIRE')
    neighbours.pass('consumer-1', null, 'command-executed', 'SET')
    execute(neighbours, 1, 'EXPIRE')
    expect(neighbours.pairs.size).toBe(0)
  })

  test('are sent by the attempt itself, not left over from an earlier one', () => {
    const neighbours = afterGet()
    neighbours.pass('consumer-1', 1, 'command-executed', 'DEL')
    expect(neighbours.pairs.size).toBe(0)
  })

  test('end with the answer', () => {
    const neighbours = afterGet()
    neighbours.pass('consumer-1', 1, 'answered', null)
    neighbours.struck('crash', null, 'consumer-1')
    expect(neighbours.separated.size).toBe(0)
  })

  test('are not separated by a fault of another process', () => {
    const neighbours = afterGet()
    neighbours.struck('pause', null, 'consumer-2')
    execute(neighbours, 1, 'SET')
    expect(neighbours.separated.size).toBe(0)
  })

  test('are separated by a crash, after which no command follows', () => {
    const before = afterGet()
    before.struck('crash', at('command-unsent', 'SET'))
    expect([...before.separated]).toEqual(['crash: GET → SET'])
    expect([...before.pairs]).toEqual(['GET → SET'])
    const after = afterGet()
    after.struck('crash', at('command-executed', 'GET'))
    after.struck('clock-step', null)
    expect([...after.separated]).toEqual(['crash: GET → '])
    expect(after.pairs.size).toBe(0)
  })
})
