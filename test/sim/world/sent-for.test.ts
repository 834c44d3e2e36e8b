/**
 * A recorded run knows which delivery sent a command, even if a process handles several of one key.
 */
import { fileURLToPath } from 'node:url'
import { describe, expect, it } from 'vitest'
import { attributed } from '../../../src/campaign/causes/attributed.ts'
import { loadImplementation } from '../../../src/sim/adapters/load-implementation.ts'
import { play } from '../world-lab.ts'

const fileOf = (id: string) => fileURLToPath(new URL(`../../${id}.ts`, import.meta.url))
const lockAndMarker = 'campaign/why/layers/lock-and-marker'
const copies = [0, 900].map((publishAtMs) => ({ key: 'order-1', payload: { order: 1 }, publishAtMs }))

/** The steps of each delivery, in order. */
async function stepsOf(id: string, { record = true } = {}) {
  // The lock ends before the first effect is applied, so both deliveries perform.
  const played = await play(await loadImplementation(fileOf(id)), {
    record,
    messages: copies,
    leaseMs: 500,
    effectMs: 1500,
    effectTimeoutMs: 5000,
  })
  const { history, executed } = attributed(played)
  const deliveries = history.events.flatMap((event) => (event.type === 'delivered' ? [event.deliveryId] : []))
  const steps = deliveries.map((one) => executed.filter(({ sentFor }) => sentFor === one).map(({ label }) => label))
  const effects = history.events.flatMap((event) => (event.type === 'effect-sent' ? [event.deliveryId] : []))
  return { steps, effects, unknown: executed.filter(({ sentFor }) => sentFor === undefined).length }
}

describe('a recorded run', () => {
  it('knows which delivery sent each command, and which called the sink', async () => {
    const { steps, effects, unknown } = await stepsOf(lockAndMarker)
    expect(steps).toEqual([
      ['GET', 'SET', 'SET', 'DEL'],
      ['GET', 'SET', 'SET', 'DEL'],
    ])
    expect(effects).toEqual([1, 2])
    expect(unknown).toBe(0)
  })

  it('knows the sender with node-redis 4, which writes in the next turn', async () => {
    const { steps, unknown } = await stepsOf('sim/world/layers/look-then-write')
    expect(steps).toEqual([['GET', 'SET'], ['GET']])
    expect(unknown).toBe(0)
  })

  it('follows a request to the server of the process', async () => {
    const { steps, effects, unknown } = await stepsOf('http/layers/marker-plain')
    expect(steps).toEqual([
      ['SET', 'SET'],
      ['SET', 'GET'],
      ['SET', 'GET'],
    ])
    expect(effects).toEqual([1])
    expect(unknown).toBe(0)
  })

  it('does not know the senders if it is not recorded', async () => {
    const { effects, unknown } = await stepsOf(lockAndMarker, { record: false })
    expect(effects).toEqual([1, null])
    expect(unknown).toBeGreaterThan(0)
  })
})
