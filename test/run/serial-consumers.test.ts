import { describe, expect, it } from 'vitest'
import type { Plan } from '../../src/contract/api/plan.ts'
import { done, layer, type Play, type Played, play, sleep } from '../sim/world-lab.ts'

const orders = (many: number): Plan['messages'] =>
  Array.from({ length: many }, (_, at) => ({ key: `order-${at}`, payload: at, publishAtMs: at }))

/** The highest number of simultaneous deliveries of any process. */
function mostAtOnce(played: Played): number {
  const open = new Map<string, number>()
  let most = 0
  for (const event of played.history.events) {
    if (event.type === 'delivered') open.set(event.process, (open.get(event.process) ?? 0) + 1)
    if (event.type === 'answered') open.set(event.process, open.get(event.process)! - 1)
    most = Math.max(most, ...open.values())
  }
  return most
}

const slow = () => layer(() => sleep(300).then(() => done))
const serial: Play = { serial: true, messages: orders(5), consumers: 2 }

describe('serial consumers', () => {
  it('have one delivery at a time, unlike others', async () => {
    const { serial: _, ...overlapping } = serial
    expect(mostAtOnce(await play(slow(), serial))).toBe(1)
    expect(mostAtOnce(await play(slow(), overlapping))).toBeGreaterThan(1)
  })

  it('get every message, even with only one consumer', async () => {
    for (const consumers of [1, 2]) {
      const played = await play(slow(), { ...serial, consumers })
      expect(played.of('settled').map(({ as }) => as)).toEqual(['done', 'done', 'done', 'done', 'done'])
    }
  })

  it('take messages of a rebalance after their present one', async () => {
    const faults = [{ kind: 'redelivery', when: { at: 'time' as const, ms: 100 }, message: 0 }]
    let atWork = 0
    let most = 0
    const counting = {
      create: () => ({
        async handle() {
          most = Math.max(most, ++atWork)
          await sleep(300)
          atWork--
          return done
        },
      }),
    }
    const played = await play(counting, { ...serial, messages: orders(2), faults })
    expect(played.of('delivered').filter(({ messageId }) => messageId === 'message-1')).toHaveLength(2)
    expect(most).toBe(2)
    expect(played.of('answered')).toHaveLength(3)
  })

  it('continue after a lost answer, a delivery time-out or the death of a process', async () => {
    const when = { at: 'answered' as const, consumer: 0, nth: 1 }
    for (const fault of [
      { kind: 'lost-acknowledgement', when },
      { kind: 'crash', when, healAfterMs: 10 },
    ]) {
      const played = await play(slow(), {
        ...serial,
        consumers: 1,
        visibilityMs: 400,
        maxAttempts: 20,
        faults: [fault],
      })
      expect(played.of('settled').map(({ as }) => as)).toEqual(['done', 'done', 'done', 'done', 'done'])
      expect(played.of('ended')).toMatchObject([{ complete: true }])
    }
  })
})
