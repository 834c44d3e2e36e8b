/**
 * How keys are spread over the slots of a Cluster. One hash tag for all keys of a customer makes a
 * hot slot.
 */

import { Cluster, Redis } from 'ioredis'
import { describe, expect, it } from 'vitest'
import { slotsOf } from '../../../src/campaign/results/slots.ts'
import { countSlots } from '../../../src/campaign/tally/count-slots.ts'
import { emptyTally, mergeTally } from '../../../src/campaign/tally/tally.ts'
import type { Implementation } from '../../../src/contract/api/implementation.ts'
import type { LayerCoverage } from '../../../src/contract/results/results.ts'
import { slotLines } from '../../../src/report/coverage-lines.ts'
import { threeShards } from '../../sim/three-shards.ts'
import { done, play } from '../../sim/world-lab.ts'

const keys = ['order-1', 'order-2', 'order-3', 'order-4', 'order-5', 'order-6']

/** Reads and writes the record of a key, which `nameOf` names. */
function layer(nameOf: (key: string) => string): Pick<Implementation, 'create'> {
  return {
    create({ redis: { nodes } }) {
      const client = new Cluster([...nodes])
      return {
        async handle({ key }) {
          if ((await client.get(nameOf(key))) === null) await client.set(nameOf(key), '1', 'PX', 60_000)
          return done
        },
        close: () => client.disconnect(),
      }
    },
  }
}

async function lines(nameOf: (key: string) => string, runs: readonly (readonly string[])[] = [keys]) {
  const tally = emptyTally()
  for (const some of runs) {
    const messages = some.map((key, at) => ({ key, payload: null, publishAtMs: 100 * at }))
    const later = emptyTally()
    countSlots(later, await play(layer(nameOf), { redis: threeShards, messages }))
    mergeTally(tally, later)
  }
  const slots = slotsOf(tally)
  return { slots, lines: slotLines({ implementation: 'mine', slots } as LayerCoverage) }
}

describe('the slots of a Cluster', () => {
  it('are as many as keys if each record has its own name', async () => {
    const spread = await lines((key) => `idempotency:${key}`)
    expect(spread.slots).toMatchObject({ keys: 6, slots: 6, commands: 12, busiest: { keys: 1, commands: 2 } })
    expect(spread.lines).toEqual([expect.stringMatching(/^cluster: mine: 6 keys in 6 slots; commands by shard /)])
  })

  it('include a hot slot if all keys of a customer share one hash tag', async () => {
    const hot = await lines((key) => `idempotency:{customer-1}:${key}`)
    expect(hot.slots).toMatchObject({ keys: 6, slots: 1, commands: 12, busiest: { tag: '{customer-1}', keys: 6 } })
    expect(hot.lines[1]).toMatch(
      /^ {2}hot: the hash tag \{customer-1\} has 6 of 6 keys and 100 % of the commands, on shard [123]: more shards/,
    )
  })

  it('include no hot slot if each message has its own hash tag', async () => {
    expect((await lines((key) => `record:{${key}}`)).lines).toHaveLength(1)
  })

  it('are counted over all runs, with each key counted once', async () => {
    const twice = await lines((key) => `idempotency:${key}`, [keys.slice(0, 4), keys.slice(2)])
    expect(twice.slots).toMatchObject({ keys: 6, slots: 6, commands: 16, busiest: { keys: 1 } })
  })

  it('are not counted on one server', async () => {
    const tally = emptyTally()
    const alone: Pick<Implementation, 'create'> = {
      create({ redis }) {
        const client = new Redis(redis.options)
        const handle = async ({ key }: { readonly key: string }) => {
          await client.set(key, '1', 'PX', 1000)
          return done
        }
        return { handle, close: () => client.disconnect() }
      },
    }
    countSlots(tally, await play(alone))
    expect(slotsOf(tally)).toBeUndefined()
    expect(slotLines({ implementation: 'mine' } as LayerCoverage)).toEqual([])
  })
})
