import type { HistoryEvent } from '../../contract/history.ts'
import type { Draw, Script, Step } from '../../contract/script.ts'
import type { CommandLabels } from '../../run/command-labels.ts'
import type { MaybePromise } from '../../run/maybe-promise.ts'
import type { Steps } from '../../run/steps.ts'

/** Writes down the steps of a run as they are taken. */
export class ScriptWriter implements Steps {
  readonly draws: Draw[] = []
  readonly #steps: Omit<Step, 'expired' | 'wrote' | 'clocked'>[] = []
  /** The step in which the last command was executed, by its number from 0. */
  #command = -1
  /** Numbers of the steps whose commands changed data. */
  readonly #wrote = new Set<number>()
  /** Numbers of the steps whose commands asked for the time. */
  readonly #clocked = new Set<number>()

  constructor(
    private readonly nowUs: () => number,
    private readonly events: () => readonly HistoryEvent[],
  ) {}

  take<T>(name: string, work: () => MaybePromise<T>): MaybePromise<T> {
    const step = { name, atUs: this.nowUs(), seq: this.events().length }
    if (isCommand(step)) this.#command = this.#steps.length
    this.#steps.push(step)
    return work()
  }

  /** The command of the last step has changed data. */
  wrote(): void {
    this.#wrote.add(this.#command)
  }

  /** A command is executed that a client or its script has sent. `fullName`: `object|idletime`. */
  ran(fullName: string): void {
    if (clocked.has(fullName)) this.#clocked.add(this.#command)
  }

  /** With the names that scripts have at the end of the run. */
  written(labels: CommandLabels): Script {
    const events = this.events()
    const steps = this.#steps.map((step, at) => ({
      ...step,
      name: labels.renamed(step.name),
      wrote: this.#wrote.has(at),
      clocked: this.#clocked.has(at),
      expired: isCommand(step) ? events.slice(step.seq, this.#steps[at + 1]?.seq).flatMap(expiredIn) : [],
    }))
    return { steps, draws: this.draws, scriptLabels: labels.known }
  }
}

/** Commands that tell Redis's time, or how long something has been or will be there by it. */
const clocked = new Set([
  ...['time', 'lastsave', 'ttl', 'pttl', 'expiretime', 'pexpiretime', 'object|idletime'],
  ...['xpending', 'xclaim', 'xautoclaim', 'xinfo|consumers', 'xinfo|stream'],
])

const isCommand = ({ name }: Pick<Step, 'name'>): boolean => name.split(' ', 2)[1] === 'command-unexecuted'

const expiredIn = (event: HistoryEvent): readonly string[] =>
  event.type === 'data-lost' && event.cause === 'expiry' ? (event.redisKeys ?? []) : []
