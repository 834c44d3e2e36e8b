/**
 * Runs that searches of this thread played, kept for a while. A third of what searches play was
 * played before: one run that violates in several ways is made smaller once for each, along the
 * same plans and choices. What is kept is what playing again would give, so that a search comes to
 * the same, and spends as much.
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
  readonly characters: number
}

/** As many as two searches play, mostly. */
const usualMost = 400
/** What their commands carry, in characters: a layer's values may be large. */
const mostCharacters = 50_000_000

export class PlayedBefore {
  /** The one that was used last is the last. */
  readonly #runs = new Map<string, Kept>()
  readonly #numbers = new WeakMap<object, number>()
  #objects = 0
  #characters = 0

  constructor(private readonly most = usualMost) {}

  /** The run that was asked for, played or kept. */
  async play(request: Searched, { runWorld }: Pick<CampaignDeps, 'runWorld'>): Promise<SearchedRun> {
    const { untilUs = Number.POSITIVE_INFINITY } = request
    const key = this.#keyOf(request)
    const before = this.#runs.get(key)
    const isKept = before !== undefined && (before.untilUs === untilUs || hasEnded(before.run, untilUs))
    const run = isKept ? before.run : await playNow(request, runWorld)
    this.#drop(key)
    this.#keep(key, isKept ? before : { untilUs, run, characters: charactersIn(run) })
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

function charactersIn({ executed }: SearchedRun): number {
  let sum = 0
  for (const { args, reply } of executed) {
    for (const arg of args) sum += arg.length
    if (typeof reply === 'string') sum += reply.length
  }
  return sum
}

/**
 * Whether it had come to its end by itself, at that time of the plan: playing it for longer gives
 * no more.
 */
function hasEnded({ history: { events } }: SearchedRun, byUs: number): boolean {
  const last = events.at(-1)
  return last?.type === 'ended' && last.complete && last.atUs <= byUs
}
