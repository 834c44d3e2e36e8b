/** One version of Onceproof, loaded from its checkout: it plays recorded runs and says how they break. */
import path from 'node:path'
import { pathToFileURL } from 'node:url'
import type { CampaignDeps } from '../../src/campaign/campaign-deps.ts'
import type { drawRun, plansOf } from '../../src/campaign/draw-run.ts'
import { isCellName } from '../../src/campaign/frontier/cell-scenario.ts'
import type { LoadedPair } from '../../src/campaign/load-pair.ts'
import type { shrinkRun } from '../../src/campaign/shrink-run.ts'
import type { RecordedRun } from '../../src/campaign/token.ts'
import type { violationsOf } from '../../src/campaign/told-violation.ts'
import type { Plan } from '../../src/contract/plan.ts'

/** A run as it went: where it led, and in which ways it broke (`invariant kind`). */
export interface Played {
  readonly digest: string
  readonly choiceCount: number
  readonly ways: readonly string[]
}

interface Entry {
  readonly id: string
  readonly path: string
}

interface Parts {
  readonly deps: CampaignDeps
  readonly catalogue: (kind: 'scenario' | 'implementation') => readonly Entry[]
  readonly violationsOf: typeof violationsOf
  readonly drawRun: typeof drawRun
  readonly plansOf: typeof plansOf
  readonly shrinkRun: typeof shrinkRun
}

export class Version {
  private constructor(private readonly parts: Parts) {}

  static async open(folder: string): Promise<Version> {
    const load = (file: string) => import(pathToFileURL(path.resolve(folder, 'src', file)).href)
    // Older checkouts have it under another name, or in another file.
    const { createDeps } = await load('cli/create-deps.ts').catch(async () => ({
      createDeps: (await load('cli/real-workbench.ts')).realWorkbench,
    }))
    const { catalogue } = await load('cli/catalogue.ts')
    const { violationsOf } = await load('campaign/told-violation.ts').catch(() => load('campaign/counterexample.ts'))
    const { drawRun, plansOf } = await load('campaign/draw-run.ts')
    const { shrinkRun } = await load('campaign/shrink-run.ts')
    return new Version({ deps: createDeps(() => false), catalogue, violationsOf, drawRun, plansOf, shrinkRun })
  }

  get drawRun(): Parts['drawRun'] {
    return this.parts.drawRun
  }

  get plansOf(): Parts['plansOf'] {
    return this.parts.plansOf
  }

  get shrinkRun(): Parts['shrinkRun'] {
    return this.parts.shrinkRun
  }

  /** Null where the catalogue has no such scenario or layer. */
  async pairOf(run: RecordedRun): Promise<LoadedPair | null> {
    // The frontier's cells are made from their names.
    const where = isCellName(run.scenario) ? run.scenario : this.find('scenario', run.scenario)?.path
    const layer = this.find('implementation', run.implementation)?.path
    if (where === undefined || layer === undefined) return null
    const scenario = await this.parts.deps.loadScenario(where)
    const implementation = await this.parts.deps.loadImplementation(layer)
    if (!mayKeepState(layer)) return { scenario, implementation }
    return {
      scenario,
      implementation: { ...implementation, instantiate: (name) => implementation.instantiate(name, true) },
    }
  }

  private find(kind: 'scenario' | 'implementation', id: string): Entry | undefined {
    return this.parts.catalogue(kind).find((entry) => entry.id === id)
  }

  async play(
    pair: LoadedPair,
    { sink, plan, choiceSeed }: Pick<RecordedRun, 'sink' | 'plan' | 'choiceSeed'>,
  ): Promise<Played> {
    const result = await this.parts.deps.runWorld({
      ...pair,
      sink,
      plan,
      choices: { seed: choiceSeed },
      record: false,
    })
    const found = this.parts.violationsOf(
      this.parts.deps.judge(result.history, pair.scenario.invariants, pair.scenario.own),
    )
    const ways = found.map(({ invariant, violation }) => `${invariant} ${violation.kind}`)
    return { digest: result.digest.slice(0, 8), choiceCount: result.choiceCount, ways: [...new Set(ways)] }
  }

  /** Kinds of the faults without which it does not break in all those ways, each left out in turn. */
  async neededFaults(
    pair: LoadedPair,
    run: Pick<RecordedRun, 'sink' | 'plan' | 'choiceSeed'>,
    ways: readonly string[],
  ) {
    const needed = new Set<string>()
    for (const [at, { kind }] of run.plan.faults.entries()) {
      const plan: Plan = { ...run.plan, faults: run.plan.faults.filter((_, index) => index !== at) }
      const without = await this.play(pair, { ...run, plan })
      if (!hasAll(without.ways, ways)) needed.add(kind)
    }
    return [...needed].sort()
  }
}

/** Libraries may keep in their modules what an earlier run left there; a token is of a run that was the first. */
const mayKeepState = (layer: string): boolean => path.basename(path.dirname(layer)) === 'third-party'

export function hasAll(ways: readonly string[], wanted: readonly string[]): boolean {
  return wanted.every((way) => ways.includes(way))
}
