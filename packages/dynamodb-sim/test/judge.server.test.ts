import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { compareCases, compareRandomly } from '../fidelity/compare.ts'
import { EmulatorTarget } from '../fidelity/emulator-target.ts'
import { explained, explanationOf } from '../fidelity/explained.ts'
import type { Tables } from '../src/index.ts'

let judge: EmulatorTarget

beforeAll(async () => {
  judge = await EmulatorTarget.start()
})

afterAll(() => judge.close())

/** Removes the conditions of all requests, so that every condition is met. */
function ignoresConditions(tables: Tables): void {
  const answer = tables.answer.bind(tables)
  tables.answer = (request) => {
    const input = JSON.parse(request.body)
    const { ConditionExpression: condition } = input
    if (typeof condition !== 'string' || condition === '') return answer(request)
    input.ConditionExpression = `(${condition}) OR attribute_exists(k) OR attribute_not_exists(k)`
    return answer({ ...request, body: JSON.stringify(input) })
  }
}

describe('the simulated DynamoDB and an independent emulator', () => {
  it('give equal answers to every case, except for explained differences', async () => {
    const { compared, differences, judgeDied } = await compareCases(judge)
    expect(differences).toEqual([])
    expect([compared > 100, judgeDied]).toEqual([true, []])
  })

  it('give equal answers to random calls, except for explained differences', async () => {
    const { compared, differences } = await compareRandomly(judge, { seed: 11, sequences: 12, callsPerSequence: 30 })
    expect(differences).toEqual([])
    expect(compared).toBeGreaterThan(200)
  })

  it('differ if the simulation ignores conditions, in cases and in random calls', async () => {
    const cases = await compareCases(judge, ignoresConditions)
    expect(cases.differences.map(({ call }) => (call as { name?: string }).name)).toContain('a lock that is held')
    const random = await compareRandomly(judge, {
      seed: 11,
      sequences: 6,
      callsPerSequence: 30,
      sabotage: ignoresConditions,
    })
    expect(random.differences).not.toEqual([])
  })

  it('have no explanation for unrelated differences, and each explanation cites a source', () => {
    const refused = (message: string) => ({ status: 400, body: { __type: 'x#ValidationException', message } })
    const done = { status: 200, body: {} }
    const call = { operation: 'UpdateItem', input: {} }
    expect(explanationOf(call, done, refused('The conditional request failed'))).toBeNull()
    expect(explanationOf(call, refused('one'), refused('other'))).toBeNull()
    expect(explanationOf(call, done, done)).toBeNull()
    expect(explained.every(({ why }) => /\(.*(reference|guide|recorded from the service)/.test(why))).toBe(true)
  })
})
