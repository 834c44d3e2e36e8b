/**
 * Runs that searches of this thread played, kept for a while. A third of what searches play was played before: one run that
 * violates in several ways is made smaller once for each, along the same plans and choices. What is kept is what playing
 * again would give, so that a search comes to the same, and spends as much.
 */
import { canonicalJson } from '../../contract/api/json.ts'
import { type ChoiceLists, withoutCalm } from '../token/run-choices.ts'
import type { CampaignDeps, RunResult, WorldRequest } from '../types.ts'

/** What a search reads of a run. */
export interface SearchedRun extends Pick<RunResult, 'history' | 'executed' | 'eventCount'> {
  /** What was chosen. */
  readonly made: ChoiceLists
}

type Searched = Omit<WorldRequest, 'record'>

interface Kept {
  /** Until when it was to be played. */
  readonly untilUs: number
  readonly run: SearchedRun
}

/** As many as two searches play, mostly: a few dozen megabytes at worst. */
const usualMost = 400

export class PlayedBefore {
  /** The one that was used last is the last. */
  readonly #runs = new Map<string, Kept>()
  readonly #numbers = new WeakMap<object, number>()
  #objects = 0

  constructor(private readonly most = usualMost) {}

  /** The run that was asked for, played or kept. */
  async play(request: Searched, { runWorld }: Pick<CampaignDeps, 'runWorld'>): Promise<SearchedRun> {
    const { untilUs = Number.POSITIVE_INFINITY } = request
    const key = this.#keyOf(request)
    const before = this.#runs.get(key)
    const isKept = before !== undefined && (before.untilUs === untilUs || hasEnded(before.run, untilUs))
    const run = isKept ? before.run : await playNow(request, runWorld)
    this.#runs.delete(key)
    this.#runs.set(key, isKept ? before : { untilUs, run })
    if (this.#runs.size > this.most) this.#runs.delete(this.#runs.keys().next().value!)
    return run
  }

  #keyOf({ implementation, scenario, sink, plan, choices }: Searched): string {
    return `${this.#numberOf(implementation)} ${this.#numberOf(scenario)} ${sink} ${canonicalJson({ plan, choices })}`
  }

  /** Modules that were loaded for other runs make another layer of it. */
  #numberOf(loaded: object): number {
    let number = this.#numbers.get(loaded)
    if (number === undefined) this.#numbers.set(loaded, (number = this.#objects++))
    return number
  }
}

async function playNow(request: Searched, runWorld: CampaignDeps['runWorld']): Promise<SearchedRun> {
  const { history, executed, eventCount, chosen } = await runWorld({ ...request, record: false, keepChoices: true })
  return { history, executed, eventCount, made: withoutCalm(chosen ?? {}) }
}

/** Whether it had come to its end by itself, at that time of the plan: playing it for longer gives no more. */
function hasEnded({ history: { events } }: SearchedRun, byUs: number): boolean {
  const last = events.at(-1)
  return last?.type === 'ended' && last.complete && last.atUs <= byUs
}
