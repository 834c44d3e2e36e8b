/** Compares reduced explorations with explorations that play each order of requests. */
import fc from 'fast-check'
import { expect, it } from 'vitest'
import type { RunResult } from '../../../src/campaign/types.ts'
import { explored, layerOf, steps } from './explore-lab.ts'

const names = Object.keys(steps) as (keyof typeof steps)[]
const layers = fc.sample(fc.array(fc.constantFrom(...names), { minLength: 2, maxLength: 3 }), { numRuns: 30, seed: 7 })

it.each(layers.map((layer) => [layer.join(' '), layer] as const))(
  'has the same outcomes with and without reduction: %s',
  async (_, layer) => {
    const reduced = await explored(layerOf(layer))
    const whole = await explored(layerOf(layer), { unreduced: true })
    expect([...reduced.outcomes].sort()).toEqual([...whole.outcomes].sort())
    expect(reduced.orders).toBeLessThanOrEqual(whole.orders)
  },
)

it('misses outcomes if a dependency is forgotten', async () => {
  const layer = layerOf(['looks', 'performs', 'marks'])
  const forgets = ({ journeys }: RunResult) => {
    for (const { uses } of journeys!.sent) for (const object of uses.keys()) uses.delete(object)
  }
  const whole = await explored(layer, { unreduced: true })
  expect((await explored(layer)).outcomes).toEqual(whole.outcomes)
  expect((await explored(layer, { change: forgets })).outcomes).not.toEqual(whole.outcomes)
})

it('plays the 70 orders of two attempts of four writes', async () => {
  expect((await explored(layerOf(['increment', 'increment', 'increment', 'increment']))).orders).toBe(70)
})

it('plays the 90 orders of three attempts of two writes', async () => {
  expect((await explored(layerOf(['increment', 'increment']), { deliveries: 3 })).orders).toBe(90)
})
