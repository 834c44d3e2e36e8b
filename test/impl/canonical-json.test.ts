import vm from 'node:vm'
import { expect, it } from 'vitest'
import { canonicalJson } from '../../src/impl/canonical-json.ts'

class Order {
  constructor(readonly id: number) {}
}
class Items extends Array<number> {}
const cycle: unknown[] = []
cycle.push({ again: cycle })
const withExtra = Object.assign([1], { total: 1 })
const hidden = Object.defineProperty({ a: 1 }, 'b', { value: 2 })
const nested = (depth: number) => JSON.parse('['.repeat(depth) + ']'.repeat(depth))

const written = (value: unknown) => canonicalJson('payload', value, 'identical')

it('equal data have one text in any order of members', () => {
  expect(written({ b: [{ z: 1, y: 'é' }], a: null })).toBe('{"a":null,"b":[{"y":"é","z":1}]}')
})

it.each([
  [{ a: [1, -2.5, 1e21, 5e-324, '', '\ud800', true, null, [], {}], __proto__: null, '\ud801': { '': 0 }, é: 1 }],
  [JSON.parse('{"__proto__":{"a":1},"toJSON":5,"length":2}')],
  [vm.runInNewContext('({ items: [{ a: 1 }] })')],
  [nested(1000)],
])('data survive their text: %#', (data) => {
  expect(JSON.stringify(JSON.parse(written(data)))).toBe(JSON.stringify(JSON.parse(written(JSON.parse(written(data))))))
  expect(JSON.parse(written(data))).toEqual(JSON.parse(JSON.stringify(data)))
})

it('one object in two places is not a cycle', () => {
  const shared = { a: 1 }
  expect(written([shared, { shared }])).toBe('[{"a":1},{"shared":{"a":1}}]')
})

it.each<[unknown, string]>([
  [undefined, 'payload is undefined'],
  [{ items: [1, 2, new Map([['a', 1]])] }, 'payload.items[2] is an instance of Map'],
  [new Set([1]), 'payload is an instance of Set'],
  [{ at: new Date(0) }, 'payload.at is an instance of Date'],
  [[new Order(1)], 'payload[0] is an instance of Order'],
  [[new (class {})()], 'payload[0] is an instance of a class'],
  [{ items: Items.of(1) }, 'payload.items is an instance of Items'],
  [Buffer.from('a'), 'payload is an instance of Buffer'],
  [new Uint8Array(1), 'payload is an instance of Uint8Array'],
  [/a/, 'payload is an instance of RegExp'],
  [Object(1), 'payload is an instance of Number'],
  [Object.create({ a: 1 }), 'payload is an instance of Object'],
  [Object.create(Object.create(null)), 'payload is an instance of a class'],
  [vm.runInNewContext('[new Map()]'), 'payload[0] is an instance of Map'],
  [{ amount: Number.NaN }, 'payload.amount is NaN'],
  [[Number.POSITIVE_INFINITY], 'payload[0] is Infinity'],
  [{ 'of which': -0 }, 'payload["of which"] is -0'],
  [{ a: { b: undefined } }, 'payload.a.b is undefined'],
  [[undefined], 'payload[0] is undefined'],
  // biome-ignore lint/suspicious/noSparseArray: it is what is tested
  [{ a: [1, , 3] }, 'payload.a[1] is a hole'],
  [new Array(2 ** 32 - 1), 'payload[0] is a hole'],
  [withExtra, 'payload is an array with members beside its items'],
  [{ amount: 1n }, 'payload.amount is a bigint'],
  [{ toJSON: () => 1 }, 'payload.toJSON is a function'],
  [[Symbol('a')], 'payload[0] is a symbol'],
  [{ a: { [Symbol('b')]: 1 } }, 'payload.a has members that are hidden or named by symbols'],
  [hidden, 'payload has members that are hidden or named by symbols'],
  [cycle, 'payload[0].again contains itself'],
  [nested(1001), 'is nested more than 1000 deep'],
])('data that JSON does not restore are refused by their path: %# %#', (data, message) => {
  expect(() => written(data)).toThrow(TypeError)
  expect(() => written(data)).toThrow(`${message}, which JSON does not give back: use plain objects`)
})

it('values that are equal by === may differ if that suffices', () => {
  const text = canonicalJson('result', { id: 1, at: undefined, discount: -0 }, 'equal')
  expect(text).toBe('{"discount":0,"id":1}')
  expect(() => canonicalJson('result', [undefined], 'equal')).toThrow('result[0] is undefined')
})

it('data are read only once, so that the checked data are written', () => {
  let reads = 0
  const data = {
    get a() {
      return reads++ === 0 ? 1 : new Map()
    },
  }
  expect(written(data)).toBe('{"a":1}')
})
