import path from 'node:path'
import { fileURLToPath } from 'node:url'
import { install } from 'virtual-node/runtime'
import { replayOnServers } from '../../../src/campaign/replay-live/replay-live.ts'
import { scheduleOfRun } from '../../../src/campaign/replay-live/run-schedule.ts'
import { createDeps } from '../../../src/cli/create-deps.ts'
import { createLiveHost } from '../../../src/cli/live-host.ts'
import type { Plan } from '../../../src/contract/api/plan.ts'
import type { SinkKind } from '../../../src/contract/api/sink.ts'
import type { Shape } from '../../../src/contract/api/store.ts'
import type { LiveReplay } from '../../../src/contract/results/live-replay.ts'
import type { Schedule } from '../../../src/contract/results/schedule.ts'
import { recordedRun, scenarioOf } from '../../campaign/replay-live/recorded.ts'
import type { Lab } from '../lab.ts'

const articles = fileURLToPath(new URL('../../../implementations/articles/', import.meta.url))
export const edited = (name: string): string => fileURLToPath(new URL(`../adapters/${name}.ts`, import.meta.url))
const deps = createDeps(() => false)

interface Making {
  /** The layer on the real servers; by default the same layer. */
  readonly live?: string
  readonly holds?: boolean
  readonly sink?: SinkKind
  /** Replaces the recorded schedule. */
  readonly schedule?: (schedule: Schedule) => Schedule
}

/** Replays the run of an article’s layer, simulated on servers of that shape, on real ones. */
export function makingOn(shape: Shape) {
  return async (
    lab: Lab,
    layer: string,
    plan: Partial<Plan>,
    { live, holds = false, sink = 'plain', schedule = (same) => same }: Making = {},
  ): Promise<LiveReplay> => {
    install()
    const file = path.resolve(articles, `${layer}.ts`)
    const pair = { scenario: scenarioOf(shape), implementation: await deps.loadImplementation(file) }
    const recorded = { ...recordedRun(layer, plan), sink }
    const host = createLiveHost(lab.environment, lab.directory, {
      timeScale: 1,
      marginMs: Number.POSITIVE_INFINITY,
      longestMs: 60_000,
      stopped: () => false,
    })
    const make = await host.load(live ?? file)
    const own = await scheduleOfRun(pair, recorded, deps)
    const scheduled = { ...own, schedule: schedule(own.schedule) }
    return replayOnServers(pair, recorded, scheduled, { deps, host, make, atMostMs: 60_000, holds })
  }
}
