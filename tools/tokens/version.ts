/**
 * One version of Onceproof, loaded from its checkout. It plays recorded runs and returns how they
 * break.
 */
import fs from 'node:fs'
import path from 'node:path'
import { pathToFileURL } from 'node:url'
import type { violationsOf } from '../../src/campaign/causes/reported-violation.ts'
import { isCellName } from '../../src/campaign/made/cell-scenario.ts'
import type { LoadedPair } from '../../src/campaign/play/load-pair.ts'
import type { decodeToken, RecordedRun } from '../../src/campaign/token/token.ts'
import type { CampaignDeps, RunResult } from '../../src/campaign/types.ts'
import type { Plan } from '../../src/contract/api/plan.ts'
import type { TimedChoice } from '../../src/sim/world/request.ts'

/** A played run: the path that it took, and the ways in which it broke (`invariant kind`). */
export interface Played {
  /**
   * The values that a token of this version stores about the path. Runs with equal values took the
   * same path.
   */
  readonly way: Readonly<Record<string, unknown>>
  readonly ways: readonly string[]
  /** The recorded choices; null if they were not requested. */
  readonly choices: readonly TimedChoice[] | null
}

/** The parts of a run that are needed to play it. */
export type Playable = Pick<RecordedRun, 'sink' | 'plan' | 'choiceSeed' | 'choices'>

interface Entry {
  readonly id: string
  readonly path: string
}

interface Parts {
  readonly deps: CampaignDeps
  readonly catalogue: (kind: 'scenario' | 'implementation') => readonly Entry[]
  readonly violationsOf: typeof violationsOf
  readonly decodeToken: typeof decodeToken
  readonly wayOf: (result: RunResult) => Played['way']
}

export class Version {
  private constructor(private readonly parts: Parts) {}

  static async open(folder: string): Promise<Version> {
    /** Loads the first of `files` that exists. Older versions have other paths. */
    const load = (...files: readonly string[]) => {
      const places = files.map((file) => path.resolve(folder, 'src', file))
      return import(pathToFileURL(places.find((place) => fs.existsSync(place)) ?? places[0]!).href)
    }
    const { createDeps } = await load('cli/create-deps.ts').catch(async () => ({
      createDeps: (await load('cli/real-workbench.ts')).realWorkbench,
    }))
    const { catalogue } = await load('cli/catalogue.ts')
    const reported = [
      'campaign/causes/reported-violation.ts',
      'campaign/causes/told-violation.ts',
      'campaign/explain/told-violation.ts',
      'campaign/told-violation.ts',
      'campaign/counterexample.ts',
    ]
    const { violationsOf } = await load(...reported)
    const { decodeToken } = await load('campaign/token/token.ts', 'campaign/replay/token.ts', 'campaign/token.ts')
    const trail = load('campaign/token/trail.ts', 'campaign/replay/trail.ts', 'campaign/trail.ts')
    const { trailOf: wayOf } = await trail.catch(() => ({ trailOf: wayOfOp1 }))
    return new Version({ deps: createDeps(() => false), catalogue, violationsOf, decodeToken, wayOf })
  }

  /** The run of a token; null if this version cannot read the token. */
  decode(token: string): RecordedRun | null {
    const decoded = this.parts.decodeToken(token)
    return decoded.ok ? decoded.run : null
  }

  /** The loaded scenario and layer; null if the catalogue lacks one of them. */
  async pairOf(run: RecordedRun): Promise<LoadedPair | null> {
    // The name of a configuration search's cell describes its scenario, so the catalogue has no
    // path for it.
    const where = isCellName(run.scenario) ? run.scenario : this.find('scenario', run.scenario)?.path
    const program = comparedProgram.test(run.implementation) ? run.implementation : undefined
    const layer = this.find('implementation', run.implementation)?.path ?? program
    if (where === undefined || layer === undefined) return null
    const scenario = await this.parts.deps.loadScenario(where)
    const implementation = await this.parts.deps.loadImplementation(layer)
    if (!mayKeepState(layer)) return { scenario, implementation }
    return {
      scenario,
      implementation: { ...implementation, instantiate: (name) => implementation.instantiate(name, true) },
    }
  }

  /** The part of the run that the catalogue lacks: `layer x`, `scenario y`. */
  missing({ implementation, scenario }: Pick<RecordedRun, 'implementation' | 'scenario'>): string {
    return this.find('implementation', implementation) === undefined && !comparedProgram.test(implementation)
      ? `layer ${implementation}`
      : `scenario ${scenario}`
  }

  private find(kind: 'scenario' | 'implementation', id: string): Entry | undefined {
    return this.parts.catalogue(kind).find((entry) => entry.id === id)
  }

  async play(pair: LoadedPair, { sink, plan, choiceSeed: seed, choices }: Playable): Promise<Played> {
    const result = await this.parts.deps.runWorld({
      ...pair,
      sink,
      plan,
      choices: choices === undefined ? { seed } : { seed, own: choices, calm: true },
      record: false,
      listChoices: true,
    })
    const found = this.parts.violationsOf(
      this.parts.deps.judge(result.history, pair.scenario.invariants, pair.scenario.own),
    )
    const ways = found.map(({ invariant, violation }) => `${invariant} ${violation.kind}`)
    return { way: this.parts.wayOf(result), ways: [...new Set(ways)], choices: result.choices }
  }

  /**
   * The kinds of the faults without which the run does not break in all of `ways`. Each fault is
   * left out in turn.
   */
  async neededFaults(pair: LoadedPair, run: Playable, ways: readonly string[]) {
    const needed = new Set<string>()
    for (const [at, { kind }] of run.plan.faults.entries()) {
      const plan: Plan = { ...run.plan, faults: run.plan.faults.filter((_, index) => index !== at) }
      const without = await this.play(pair, { ...run, plan })
      if (!hasAll(without.ways, ways)) needed.add(kind)
    }
    return [...needed].sort()
  }
}

/** The path as tokens before `op2_` stored it: a count of choices and a digest. */
function wayOfOp1({ digest, ...result }: RunResult): Played['way'] {
  const { choiceCount } = result as unknown as { readonly choiceCount: number }
  return { choiceCount, digest: digest.slice(0, 8) }
}

/** True if the run took the recorded path. */
export function follows(played: Played, recorded: RecordedRun): boolean {
  const kept = recorded as unknown as Readonly<Record<string, unknown>>
  // The stored digest of the layer is ignored, because an edit of the layer need not change its
  // runs.
  return Object.entries(played.way).every(([name, value]) => name === 'layer' || kept[name] === value)
}

/** Matches programs, which no catalogue contains, because they are named by their commands. */
const comparedProgram = /^exec:python3 implementations\/third-party\/\w+\.py$/

/**
 * True for libraries that may keep state of an earlier run in their modules. A token belongs to the
 * first run of a process.
 */
const mayKeepState = (layer: string): boolean => path.basename(path.dirname(layer)) === 'third-party'

export function hasAll(ways: readonly string[], wanted: readonly string[]): boolean {
  return wanted.every((way) => ways.includes(way))
}
