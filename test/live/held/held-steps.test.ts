/** What several servers are brought to do in their steps; servers, Sentinels and the stepper are made up. */
import { expect, it, vi } from 'vitest'
import { HeldSteps } from '../../../src/live/held/held-steps.ts'

type Setting = ConstructorParameters<typeof HeldSteps>[0]

const promoted = 'redis-2 promoted'

/** A Sentinel that leads one failover, and is down at first. */
function lab(steps: readonly string[]) {
  const errors: unknown[] = []
  const wentOtherwise: string[] = []
  const asked: string[] = []
  const due = new Map<string, () => Promise<void>>()
  const sentinel = {
    name: 'sentinel-1',
    up: false,
    call: async (...words: string[]) => {
      if (!sentinel.up) throw new Error(`sentinel-1 is down, and was asked for ${words[0]}`)
      asked.push(words.join(' '))
      return words[1] === 'MASTER' ? ['flags', 'master', 'failover-timeout', '10000000'] : 'OK'
    },
  }
  const server = { name: 'redis-2', info: async () => new Map([['role', asked.length > 1 ? 'master' : 'slave']]) }
  const rules = { mayLearn: () => true, unaware: () => {}, learns: () => {}, allow: () => {}, forbid: () => {} }
  const setting = {
    deployment: {
      rules,
      nodes: [server],
      watchers: [sentinel],
      named: (name: string) => (name === 'redis-2' ? server : sentinel),
      hold: async () => {},
    },
    store: { promoted: vi.fn(async () => {}) },
    stepper: {
      taken: 0,
      take: (name: string, work: () => Promise<void>) => Promise.resolve(void due.set(name, work)),
      wentOtherwise: (seen: string) => void wentOtherwise.push(seen),
    },
    script: { steps: steps.map((name) => ({ name })) },
    until: steps.length,
    failed: (error: unknown) => void errors.push(error),
  }
  const held = new HeldSteps(setting as unknown as Setting)
  return { held, setting, sentinel, due, errors, wentOtherwise, asked }
}

const settled = () => new Promise((resolve) => setTimeout(resolve, 20))

it.each([
  ['the Sentinel that leads it', [promoted, 'sentinel-1 announces redis-2']],
  ['every Sentinel', [promoted]],
])('fails over in its step where %s was down when something befell the primary', async (_, steps) => {
  const { held, setting, sentinel, due, errors, wentOtherwise, asked } = lab(steps)
  await held.begin()
  held.disturbed()
  await settled()
  expect(errors).toEqual([])
  const step = due.get(promoted)!()
  await settled()
  sentinel.up = true
  await step
  expect(setting.store.promoted).toHaveBeenCalledOnce()
  expect(asked).toContain('SENTINEL FAILOVER onceproof')
  expect([errors, wentOtherwise]).toEqual([[], []])
})

it('begins the failover before its step where the Sentinel that leads it is up', async () => {
  const { held, sentinel, asked } = lab([promoted, 'sentinel-1 announces redis-2'])
  sentinel.up = true
  await held.begin()
  held.disturbed()
  await settled()
  expect(asked).toContain('SENTINEL FAILOVER onceproof')
})
