import type { HistoryEvent } from '../../contract/history.ts'
import type { Draw, Script, Step } from '../../contract/script.ts'
import type { CommandLabels } from '../../run/command-labels.ts'
import type { MaybePromise } from '../../run/maybe-promise.ts'
import type { Steps } from '../../run/steps.ts'

/** Writes down the steps of a run as they are taken. */
export class ScriptWriter implements Steps {
  readonly draws: Draw[] = []
  readonly #steps: Omit<Step, 'expired'>[] = []

  constructor(
    private readonly nowUs: () => number,
    private readonly events: () => readonly HistoryEvent[],
  ) {}

  take<T>(name: string, work: () => MaybePromise<T>): MaybePromise<T> {
    this.#steps.push({ name, atUs: this.nowUs(), seq: this.events().length })
    return work()
  }

  /** With the names that scripts have at the end of the run. */
  written(labels: CommandLabels): Script {
    const events = this.events()
    const steps = this.#steps.map((step, at) => ({
      ...step,
      name: labels.renamed(step.name),
      expired: isCommand(step) ? events.slice(step.seq, this.#steps[at + 1]?.seq).flatMap(expiredIn) : [],
    }))
    return { steps, draws: this.draws, scriptLabels: labels.known }
  }
}

const isCommand = ({ name }: Pick<Step, 'name'>): boolean => name.split(' ', 2)[1] === 'command-unexecuted'

const expiredIn = (event: HistoryEvent): readonly string[] =>
  event.type === 'data-lost' && event.cause === 'expiry' ? (event.redisKeys ?? []) : []
