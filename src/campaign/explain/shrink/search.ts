/**
 * The state of a search: the smallest run so far that breaks like the first one, and the candidates
 * that were tried.
 */

import { hashText } from 'virtual-node/kernel'
import { canonicalJson } from '../../../contract/api/json.ts'
import type { Plan } from '../../../contract/api/plan.ts'
import type { ChoiceLists, RunChoices } from '../../token/run-choices.ts'

export interface Candidate {
  readonly plan: Plan
  readonly choices: RunChoices
}

/**
 * Plays a run. Returns its choices if it has the wanted violation; null if not. Charges the run to
 * the budget.
 */
export type Breaks = (plan: Plan, choices: RunChoices) => Promise<ChoiceLists | null>

/** The budget, which is read-only here, because `Breaks` charges it. */
export interface Bound {
  readonly isSpent: boolean
}

export class Search implements Candidate {
  /** The number of runs that were played. */
  executions = 0
  /** The choices of the smallest run; null before one was accepted. */
  made: ChoiceLists | null = null
  readonly #tried = new Set<string>()
  readonly #seeds: readonly RunChoices[]

  constructor(
    public plan: Plan,
    public choices: RunChoices,
    private readonly breaks: Breaks,
    private readonly budget: Bound,
  ) {
    const { choiceSeed } = choices
    const others = [1, 2].map((again) => hashText(`again ${again}`, choiceSeed))
    this.#seeds = [choiceSeed, ...others].map((seed) => ({ choiceSeed: seed }))
    this.#tried.add(canonicalJson({ plan, choices }))
  }

  get spent(): boolean {
    return this.budget.isSpent
  }

  get calm(): RunChoices {
    return { choiceSeed: this.choices.choiceSeed, choices: {} }
  }

  /** Tries a simpler plan with the current choices. */
  acceptPlan(plan: Plan): Promise<boolean> {
    return this.accept({ plan, choices: this.choices })
  }

  /**
   * Tries a plan with fewer parts. The plan is tried with the current choices, with calm choices,
   * with the drawn choices and with the choices of two other seeds. The reason is that a run with
   * fewer parts makes fewer choices, in other places.
   */
  async acceptFewer(plan: Plan): Promise<boolean> {
    const lists = this.choices.choices
    const isListed = lists !== undefined && Object.keys(lists).length > 0
    for (const choices of [this.choices, this.calm, ...(isListed ? [] : this.#seeds)])
      if (await this.accept({ plan, choices })) return true
    return false
  }

  /**
   * Plays the candidate. If it breaks, returns true and makes it the smallest run. Returns false at
   * once if the candidate was tried before.
   */
  async accept({ plan, choices }: Candidate): Promise<boolean> {
    const text = canonicalJson({ plan, choices })
    if (this.spent || this.#tried.has(text)) return false
    this.#tried.add(text)
    this.executions++
    const made = await this.breaks(plan, choices)
    if (made === null) return false
    this.plan = plan
    this.made = made
    // Stores the choices that the run made, because a given list may be longer than the run needed.
    this.choices = choices.choices === undefined ? choices : { ...choices, choices: made }
    return true
  }
}
