/** Shortens the times of a run that would take long on real servers. */
import path from 'node:path'
import { fileURLToPath } from 'node:url'
import { describe, expect, it } from 'vitest'
import { Player } from '../../../src/campaign/explain/player.ts'
import { soonestOnServers } from '../../../src/campaign/explain/soonest-on-servers.ts'
import { PlayedBefore } from '../../../src/campaign/play/played-before.ts'
import { scheduleOfRun } from '../../../src/campaign/replay-live/run-schedule.ts'
import { createDeps } from '../../../src/cli/create-deps.ts'
import { planned, recordedRun, scenarioOf } from '../replay-live/recorded.ts'

const folder = fileURLToPath(new URL('../../../implementations/articles/', import.meta.url))
const deps = createDeps(() => false)

/** The claim of a crashed process has ended when the next copy arrives. */
async function soonest(layer: string, leaseMs: number, mode: 'look' | 'finding' = 'finding') {
  const implementation = await deps.loadImplementation(path.join(folder, `${layer}.ts`))
  const pair = { scenario: scenarioOf('single'), implementation }
  const recorded = recordedRun(layer, {
    leaseMs,
    visibilityMs: 900_000,
    messages: [0, 800_000].map((publishAtMs) => ({ key: 'order-1', payload: 1, publishAtMs })),
    faults: [planned('crash', { at: 'effect-applied', consumer: 0, nth: 1 }, { healAfterMs: 100 })],
  })
  const { result, broke, decidedBy } = await scheduleOfRun(pair, recorded, deps, { looks: true })
  const { invariant, violation } = broke!
  const task = { invariant, kind: violation.kind, decidedBy, path: [], mode, budget: 1_000, sink: 'plain', cheaper: [] }
  const { plan, choiceSeed } = recorded
  const asDrawn = { ...pair, sink: 'plain', plan, choices: { seed: choiceSeed }, record: false } as const
  const player = new Player(task as never, pair, asDrawn as never, deps, new PlayedBefore())
  const found = { where: {} as never, pair, plan, choices: { choiceSeed }, shrunk: true }
  return { recorded, soonest: await soonestOnServers(player, found, broke!, recorded, result) }
}

describe('a run that waits for a lease of ten minutes', () => {
  it('gets a shorter lease if the layer takes the lease from its context', async () => {
    const { recorded, soonest: one } = await soonest('000-get-set-record-lease', 600_000)
    expect(one).toMatchObject({ breaks: { kind: 'repeat-after-crash' } })
    expect('ms' in one! && one.ms).toBeLessThan(10_000)
    expect('recorded' in one! && one.recorded.plan.leaseMs).toBeLessThan(10_000)
    expect(recorded.plan.leaseMs).toBe(600_000)
  })

  it('keeps its times if the lease of the layer is fixed', async () => {
    const { recorded, soonest: one } = await soonest('000-get-set-record', 600_000)
    expect('recorded' in one! && one.recorded).toBe(recorded)
    expect('ms' in one! && one.ms).toBeGreaterThan(200_000)
  })

  it('is not played again if it is only looked at', async () => {
    const { recorded, soonest: one } = await soonest('000-get-set-record-lease', 600_000, 'look')
    expect('recorded' in one! && one.recorded).toBe(recorded)
  })
})
