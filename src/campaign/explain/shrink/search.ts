/** The smallest run so far that breaks as the first one did, and what was tried in its place. */

import { hashText } from 'virtual-node/kernel'
import { canonicalJson } from '../../../contract/api/json.ts'
import type { Plan } from '../../../contract/api/plan.ts'
import type { ChoiceLists, RunChoices } from '../../token/run-choices.ts'

export interface Candidate {
  readonly plan: Plan
  readonly choices: RunChoices
}

/**
 * What that run chose, where it breaks in the way that is searched for; null where it does not. It
 * spends of the budget what it plays.
 */
export type Breaks = (plan: Plan, choices: RunChoices) => Promise<ChoiceLists | null>

/** Read only: `Breaks` does the spending. */
export interface Bound {
  readonly isSpent: boolean
}

export class Search implements Candidate {
  /** How many runs it took. */
  executions = 0
  /** What the smallest run chose; null before one was played. */
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

  /** Takes a plan that is simpler, with the choices as they are. */
  acceptPlan(plan: Plan): Promise<boolean> {
    return this.accept({ plan, choices: this.choices })
  }

  /**
   * Takes a plan with fewer parts, with the choices as they are, calm ones, those that were drawn,
   * or those of two other seeds: its run makes fewer choices, in other places.
   */
  async acceptFewer(plan: Plan): Promise<boolean> {
    const lists = this.choices.choices
    const isListed = lists !== undefined && Object.keys(lists).length > 0
    for (const choices of [this.choices, this.calm, ...(isListed ? [] : this.#seeds)])
      if (await this.accept({ plan, choices })) return true
    return false
  }

  /** False where it was tried before. */
  async accept({ plan, choices }: Candidate): Promise<boolean> {
    const text = canonicalJson({ plan, choices })
    if (this.spent || this.#tried.has(text)) return false
    this.#tried.add(text)
    this.executions++
    const made = await this.breaks(plan, choices)
    if (made === null) return false
    this.plan = plan
    this.made = made
    // Of lists, what was chosen: a list may be longer than its stream was asked.
    this.choices = choices.choices === undefined ? choices : { ...choices, choices: made }
    return true
  }
}
