import { fileURLToPath } from 'node:url'
import { describe, expect, it } from 'vitest'
import type { LiveHost } from '../../../src/campaign/live/live-host.ts'
import { livePair } from '../../../src/campaign/live/live-pair.ts'
import { createDeps } from '../../../src/cli/create-deps.ts'
import type { LiveOrder, LiveOutcome } from '../../../src/contract/results/live-run.ts'

const file = (name: string) => fileURLToPath(new URL(`../../../${name}.ts`, import.meta.url))
const deps = createDeps(() => false)

/** Plays live runs in the simulator, without processes, proxies and real time. */
function simulatedHost(change: Partial<LiveOutcome> = {}): { host: LiveHost; orders: LiveOrder[] } {
  const orders: LiveOrder[] = []
  const host: LiveHost = {
    about: 'a simulated host',
    scaled: (plan) => plan,
    notMade: () => [],
    holdsSeveral: false,
    otherwise: () => [],
    load: async (path) => async (order) => {
      orders.push(order)
      const scenario = await deps.loadScenario(file(`scenarios/${order.scenario}`))
      const implementation = await deps.loadImplementation(path)
      const { sink, plan } = order
      const request = { scenario, implementation, sink, plan, choices: { seed: 1 }, record: true }
      const { history, cells, cellsSeen } = await deps.runWorld(request)
      const times = { worstLateMs: 3, readyMs: 200, tookMs: 900 }
      return { history, notMade: [], notSeen: [], unfit: null, clocks: null, cells, cellsSeen, ...times, ...change }
    },
  }
  return { host, orders }
}

const play = (implementation: string, host: LiveHost, run: number | null) => {
  const scenario = 'competing-consumers'
  const choice = {
    scenarioPath: file(`scenarios/${scenario}`),
    scenarioName: scenario,
    implementationPath: file(`implementations/${implementation}`),
    implementationName: implementation,
    sink: 'plain',
    corpus: [],
    runMs: 1,
  } as const
  const again = (number: number) => `live again ${number}`
  const request = { seed: 1, run, runs: 2, timeScale: 1, longestMs: 20_000, recorded: null, again }
  return livePair(choice, request, { deps, host, progress: () => {} })
}

describe('a live pair', () => {
  it('plays a run that breaks the layer in the simulator, reports the violation, and prints the command that repeats it', async () => {
    const { host, orders } = simulatedHost()
    const { verdict, violations, live } = await play('articles/001-get-set', host, null)
    expect(verdict).toBe('violated')
    expect(violations[0]).toMatchObject({ invariant: 'at-most-once', kind: 'duplicate', token: null })
    expect(violations[0]!.replay).toBe(`live again ${violations[0]!.run}`)
    expect(violations[0]!.story.length).toBeGreaterThan(0)
    expect(live!.simulated[0]!.says).toBe('at-most-once duplicate in 16 of 16')
    expect(orders).toHaveLength(1)
  })

  it('plays the named run without required goals', async () => {
    const { host, orders } = simulatedHost()
    const { verdict, goals, live } = await play('reference/reference', host, 7)
    expect(verdict).toBe('pass')
    expect(live!.runs.map(({ run }) => run)).toEqual([7])
    expect(Object.values(live!.notAsked)).toContain('not expected of a chosen run')
    expect(Object.values(goals)).not.toContain(0)
    expect(orders[0]).toMatchObject({ scenario: 'competing-consumers', shape: 'single', sink: 'plain' })
  })

  it('repeats a run twice if the machine was too slow, and then gives no verdict', async () => {
    const { host, orders } = simulatedHost({ unfit: 'a timer was late by 900 ms' })
    const { verdict, reason, violations } = await play('articles/001-get-set', host, 7)
    expect(orders).toHaveLength(3)
    expect(violations).toEqual([])
    expect(verdict).toBe('unknown')
    expect(reason).toContain('a timer was late by 900 ms')
  })
})
