import { launcher } from '../contract/results/launcher.ts'
import type { Presence } from './registry.ts'

/** The minimum number of tasks in progress, so that the first workers find jobs at once. */
const fewest = 8

/** The machines that work for this campaign. Each is reported to the user once. */
export class WorkersSeen {
  readonly #seen = new Map<string, Presence>()
  #saidWaiting = false

  constructor(
    private readonly queue: string,
    private readonly ownWorkers: number,
    private readonly say: (line: string) => void,
  ) {}

  look(found: ReadonlyMap<string, Presence>, waiting: boolean): void {
    for (const [name, presence] of found) {
      const before = this.#seen.get(name)
      this.#seen.set(name, presence)
      if (presence.refused !== null && before?.refused !== presence.refused)
        this.say(`fleet: worker ${name} was refused: ${presence.refused}`)
      else if (before === undefined)
        this.say(
          `fleet: worker ${name} joined with ${presence.workers} ${presence.workers === 1 ? 'thread' : 'threads'}`,
        )
    }
    if (!waiting || this.#workers > 0 || this.#saidWaiting) return
    this.#saidWaiting = true
    this.say(`fleet: no worker yet at ${this.queue}; waiting for \`${launcher()} worker --fleet …\``)
  }

  /** Two tasks for each worker thread, so that no thread waits for its next task. */
  get tasksWanted(): number {
    return Math.max(fewest, 2 * this.#workers)
  }

  get #workers(): number {
    return [...this.#seen.values()].reduce((sum, { workers }) => sum + workers, this.ownWorkers)
  }
}
