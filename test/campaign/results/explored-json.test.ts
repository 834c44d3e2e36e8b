import { describe, expect, it } from 'vitest'
import type { Explored } from '../../../src/campaign/play/explore-tasks.ts'
import { exploredFromJson, exploredToJson } from '../../../src/campaign/results/explored-json.ts'
import { explored, layerOf } from '../explore/explore-lab.ts'

/** Two charges in some of its orders, the smallest of which delays messages. */
const found: Explored = {
  ...(await explored(layerOf(['looks', 'performs', 'marks']))),
  passed: new Map([['0 answered', [true]]]),
}

/** The result after its way to another machine, and after the change on the way. */
function arrived(change: (data: Record<string, unknown>, order: Record<string, unknown>) => unknown = () => {}) {
  const data = JSON.parse(JSON.stringify(exploredToJson(found)))
  change(data, data.broken[0])
  return exploredFromJson(data)
}

it('the result of an exploration arrives unchanged', () => {
  expect(found.broken.length).toBeGreaterThan(0)
  expect(arrived()).toEqual(found)
})

describe('the result of an exploration is refused', () => {
  it.each<[string, Parameters<typeof arrived>[0]]>([
    ['without a count', (data) => delete data.orders],
    ['with a negative count', (data) => (data.runs = -1)],
    ['with an unknown member', (data) => (data.luck = 1)],
    ['without its end', (data) => delete data.isCut],
    ['with a set instead of a list', (data) => (data.outcomes = {})],
    ['with a number instead of a name', (data) => (data.unknown = [7])],
    ['with steps without a count', (data) => (data.passed = [['0 answered']])],
    ['without a list of orders', (data) => (data.broken = { length: 0 })],
    ['with an order that is not one', (data) => (data.broken = [null])],
    ['without a plan', (_, order) => delete order.plan],
    ['with an oversized plan', (_, order) => Object.assign(order.plan as object, { consumers: 65 })],
    ['with choices that are not lists', (_, order) => (order.choices = { broker: 1 })],
    ['without an invariant', (_, order) => delete order.invariant],
  ])('%s', (_, change) => expect(arrived(change)).toBeNull())

  it('if it is not an object', () => expect([null, 7, []].map(exploredFromJson)).toEqual([null, null, null]))
})
