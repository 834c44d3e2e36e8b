import path from 'node:path'
import { fileURLToPath } from 'node:url'
import { install } from 'virtual-node/runtime'
import { confirmRun } from '../../../src/campaign/confirm/confirm.ts'
import { scriptOfRun } from '../../../src/campaign/confirm/run-script.ts'
import { createDeps } from '../../../src/cli/create-deps.ts'
import { createLiveHost } from '../../../src/cli/live-host.ts'
import type { Plan } from '../../../src/contract/api/plan.ts'
import type { SinkKind } from '../../../src/contract/api/sink.ts'
import type { Shape } from '../../../src/contract/api/store.ts'
import type { Confirmation } from '../../../src/contract/results/confirmation.ts'
import type { Script } from '../../../src/contract/results/script.ts'
import { recordedRun, scenarioOf } from '../../campaign/confirm/recorded.ts'
import type { Lab } from '../lab.ts'

const articles = fileURLToPath(new URL('../../../implementations/articles/', import.meta.url))
export const edited = (name: string): string => fileURLToPath(new URL(`../adapters/${name}.ts`, import.meta.url))
const deps = createDeps(() => false)

interface Making {
  /** What is made on the servers; the layer unless given. */
  readonly live?: string
  readonly holds?: boolean
  readonly sink?: SinkKind
  /** The script that is followed in place of the run's own. */
  readonly script?: (script: Script) => Script
}

/** Makes the run of an article's layer, as the simulator has it on servers of that shape, on real ones. */
export function makingOn(shape: Shape) {
  return async (
    lab: Lab,
    layer: string,
    plan: Partial<Plan>,
    { live, holds = false, sink = 'plain', script = (same) => same }: Making = {},
  ): Promise<Confirmation> => {
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
    const own = await scriptOfRun(pair, recorded, deps)
    const scripted = { ...own, script: script(own.script) }
    return confirmRun(pair, recorded, scripted, { deps, host, make, atMostMs: 60_000, holds })
  }
}
