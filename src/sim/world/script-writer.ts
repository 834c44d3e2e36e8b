import type { Draw, Script, Step } from '../../contract/script.ts'
import type { CommandLabels } from '../../run/command-labels.ts'
import type { MaybePromise } from '../../run/maybe-promise.ts'
import type { Steps } from '../../run/steps.ts'

/** Writes down the steps of a run as they are taken. */
export class ScriptWriter implements Steps {
  readonly draws: Draw[] = []
  readonly #steps: Step[] = []

  constructor(
    private readonly nowUs: () => number,
    /** How many events the history has. */
    private readonly seq: () => number,
  ) {}

  take<T>(name: string, work: () => MaybePromise<T>): MaybePromise<T> {
    this.#steps.push({ name, atUs: this.nowUs(), seq: this.seq() })
    return work()
  }

  /** With the names that scripts have at the end of the run. */
  written(labels: CommandLabels): Script {
    const steps = this.#steps.map((step) => ({ ...step, name: labels.renamed(step.name) }))
    return { steps, draws: this.draws, scriptLabels: labels.known }
  }
}
