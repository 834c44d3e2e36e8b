import { describe, expect, it } from 'vitest'
import { ordersOf } from '../../../fidelity/isolation/orders.ts'
import { parseSpec } from '../../../fidelity/isolation/spec.ts'
import { stepsOf } from '../../../fidelity/isolation/steps.ts'

const text = `
  setup { CREATE TABLE t (n int); }
  teardown { DROP TABLE t; }
  session one setup { BEGIN; } step a { SELECT 'a'; } step b { SELECT 'b'; } teardown { COMMIT; }
  session two step c { SELECT 'c'; } step d { SELECT 'd'; }
`

describe('the orders in which a specification is played', () => {
  it('are all interleavings of the sessions if the specification lists none', () => {
    const orders = ordersOf(parseSpec(text), 60).map((order) => order.join(''))
    expect(orders).toEqual(['abcd', 'acbd', 'acdb', 'cabd', 'cadb', 'cdab'])
  })

  it('are spread evenly if there are more than the maximum', () => {
    const orders = ordersOf(parseSpec(text), 3).map((order) => order.join(''))
    expect(orders).toEqual(['abcd', 'acdb', 'cadb'])
  })

  it('are those that the specification lists, however many', () => {
    const spec = parseSpec(`${text} permutation d c permutation a a permutation b`)
    expect(ordersOf(spec, 2)).toEqual([['d', 'c'], ['a', 'a'], ['b']])
  })
})

describe('the texts that are sent in an order', () => {
  it('begin with the setups and end with the teardowns, each in its session', () => {
    const steps = stepsOf(parseSpec(text), ['c', 'a', 'a']).map(({ session, sql }) => `${session} ${sql}`)
    expect(steps).toEqual([
      '0 CREATE TABLE t (n int);',
      '1 BEGIN;',
      "2 SELECT 'c';",
      "1 SELECT 'a';",
      "1 SELECT 'a';",
      '1 COMMIT;',
      '0 DROP TABLE t;',
    ])
  })

  it('are refused if the order has an unknown step', () => {
    expect(() => stepsOf(parseSpec(text), ['e'])).toThrow('there is no step e')
  })
})
