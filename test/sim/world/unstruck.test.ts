import { expect, it } from 'vitest'
import type { PlannedFault } from '../../../src/contract/api/plan.ts'
import { done, layer, play } from '../world-lab.ts'

const lostReply = (when: PlannedFault['when']): PlannedFault => ({ kind: 'lost-reply', when })

async function unstruck(...faults: PlannedFault[]) {
  const adapter = layer(async (_message, redis) => {
    await redis.set('k', 'v').catch(() => null)
    return done
  })
  return (await play(adapter, { faults })).unstruck
}

it('a planned fault whose moment came in vain differs from one whose moment never came', async () => {
  const atTime = lostReply({ at: 'time', ms: 5 })
  const never = lostReply({ at: 'command-executed', consumer: 0, nth: 99 })
  const fault = 'lost-reply'
  expect(await unstruck(atTime, never)).toEqual([
    { kind: fault, cameUp: true },
    { kind: fault, cameUp: false },
  ])
})

it('a fault that strikes is not listed', async () => {
  expect(await unstruck(lostReply({ at: 'command-executed', consumer: 0, nth: 1 }))).toEqual([])
})
