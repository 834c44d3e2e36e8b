/**
 * A cache of the runs that searches in this thread have played. A third of the runs are found in
 * the cache: a run with several violations is minimized once for each violation, along the same
 * plans and choices. A hit costs as much of the budget as a run, so the result of a search does not
 * depend on the cache.
 */
import { canonicalJson } from '../../contract/api/json.ts'
import { type ChoiceLists, withoutCalm } from '../token/run-choices.ts'
import type { CampaignDeps, RunResult, WorldRequest } from '../types.ts'

/** The parts of a run that a search reads. */
export interface SearchedRun extends Pick<RunResult, 'history' | 'executed' | 'eventCount'> {
  /** The choices that the run made. */
  readonly made: ChoiceLists
}

type Searched = Omit<WorldRequest, 'record'>

interface Kept {
  /** The time until which the run was played at most. */
  readonly untilUs: number
  readonly run: SearchedRun
  readonly characters: number
}

/** The maximum number of cached runs. Two searches usually do not play more runs. */
const usualMost = 400
/**
 * The maximum number of characters in commands and replies of cached runs, because a layer's values
 * may be large.
 */
const mostCharacters = 50_000_000

export class PlayedBefore {
  /** The runs in order of use; the most recently used run is the last. */
  readonly #runs = new Map<string, Kept>()
  readonly #numbers = new WeakMap<object, number>()
  #objects = 0
  #characters = 0
  #recorded: { readonly key: string; readonly run: RunResult } | null = null

  constructor(private readonly most = usualMost) {}

  /** Plays the run or returns the cached one. */
  async play(request: Searched, { runWorld }: Pick<CampaignDeps, 'runWorld'>): Promise<SearchedRun> {
    const { untilUs = Number.POSITIVE_INFINITY } = request
    const key = `${request.events ?? 'all'} events ${this.#keyOf(request)}`
    const before = this.#runs.get(key)
    const isKept = before !== undefined && (before.untilUs === untilUs || hasEnded(before.run, untilUs))
    const run = isKept ? before.run : await playNow(request, runWorld)
    this.#drop(key)
    this.#keep(key, isKept ? before : { untilUs, run, characters: charactersIn(run) })
    return run
  }

  /**
   * Plays the run and records it. Only the last recorded run is cached, because a schedule is as
   * large as many runs.
   */
  async record(request: Searched, { runWorld }: Pick<CampaignDeps, 'runWorld'>): Promise<RunResult> {
    const key = `${request.schedule === true} ${this.#keyOf(request)}`
    if (this.#recorded?.key === key) return this.#recorded.run
    this.#recorded = null
    const run = await runWorld({ ...request, record: true })
    this.#recorded = { key, run }
    return run
  }

  #keep(key: string, kept: Kept): void {
    if (kept.characters > mostCharacters) return
    this.#runs.set(key, kept)
    this.#characters += kept.characters
    while (this.#runs.size > this.most || this.#characters > mostCharacters) this.#drop(this.#runs.keys().next().value!)
  }

  #drop(key: string): void {
    this.#characters -= this.#runs.get(key)?.characters ?? 0
    this.#runs.delete(key)
  }

  #keyOf({ implementation, scenario, sink, plan, choices }: Searched): string {
    return `${this.#numberOf(implementation)} ${this.#numberOf(scenario)} ${sink} ${canonicalJson({ plan, choices })}`
  }

  /**
   * A number that identifies an object. A layer whose modules were loaded again is another layer.
   */
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

function charactersIn({ executed }: SearchedRun): number {
  let sum = 0
  for (const { args, reply } of executed) {
    for (const arg of args) sum += arg.length
    if (typeof reply === 'string') sum += reply.length
  }
  return sum
}

/** True if the run ended by itself before `byUs`, so that playing it longer gives the same run. */
function hasEnded({ history: { events } }: SearchedRun, byUs: number): boolean {
  const last = events.at(-1)
  return last?.type === 'ended' && last.complete && last.atUs <= byUs
}
