/**
 * The state of a search: the smallest run so far that breaks as the first one did, and the
 * candidates that were tried.
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
 * The choices of the run if it has the wanted violation; null if not. Charges the run to the
 * budget.
 */
export type Breaks = (plan: Plan, choices: RunChoices) => Promise<ChoiceLists | null>

/** Read-only: `Breaks` charges the budget. */
export interface Bound {
  readonly isSpent: boolean
}

export class Search implements Candidate {
  /** Number of runs that were played. */
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
   * Tries a plan with fewer parts with the current choices, calm ones, the drawn ones, or those of
   * two other seeds, because its run makes fewer choices, in other places.
   */
  async acceptFewer(plan: Plan): Promise<boolean> {
    const lists = this.choices.choices
    const isListed = lists !== undefined && Object.keys(lists).length > 0
    for (const choices of [this.choices, this.calm, ...(isListed ? [] : this.#seeds)])
      if (await this.accept({ plan, choices })) return true
    return false
  }

  /** False if it was tried before. */
  async accept({ plan, choices }: Candidate): Promise<boolean> {
    const text = canonicalJson({ plan, choices })
    if (this.spent || this.#tried.has(text)) return false
    this.#tried.add(text)
    this.executions++
    const made = await this.breaks(plan, choices)
    if (made === null) return false
    this.plan = plan
    this.made = made
    // Keeps the choices that were made: a given list may be longer than its stream used.
    this.choices = choices.choices === undefined ? choices : { ...choices, choices: made }
    return true
  }
}
