/** Distributes tasks over threads. Each thread plays one task at a time. */

import { hashText } from 'virtual-node/kernel'
import type { End } from '../campaign/play/executor.ts'
import type { ShrinkTask } from '../campaign/play/tasks.ts'

interface Waiting<Thread> {
  /** The end of the campaign that the task comes from. Undefined: the task suits any thread. */
  readonly end: End | undefined
  readonly start: (thread: Thread) => void
}

/**
 * Distributes tasks so that no thread is idle while a task waits. Half of the threads prefer tasks
 * from the cheap end of a campaign, the others from the expensive end (`dear`). A thread takes the
 * oldest task that suits it, or the oldest task if none suits it.
 */
export class ShareOut<Thread> {
  readonly #idle: Thread[]
  readonly #waiting: Waiting<Thread>[] = []
  readonly #homes: ReadonlyMap<Thread, End>

  constructor(threads: readonly Thread[]) {
    this.#idle = [...threads]
    this.#homes = new Map(threads.map((thread, nth) => [thread, nth % 2 === 0 ? 'cheap' : 'dear']))
  }

  async give<Answer>(end: End | undefined, play: (thread: Thread) => Promise<Answer>): Promise<Answer> {
    const thread = this.#takeIdle(end) ?? (await new Promise<Thread>((start) => this.#waiting.push({ end, start })))
    try {
      return await play(thread)
    } finally {
      this.#release(thread)
    }
  }

  #takeIdle(end: End | undefined): Thread | undefined {
    const at = this.#idle.findIndex((thread) => this.#suits(thread, end))
    return this.#idle.splice(Math.max(0, at), 1)[0]
  }

  #release(thread: Thread): void {
    const at = this.#waiting.findIndex(({ end }) => this.#suits(thread, end))
    const [next] = this.#waiting.splice(Math.max(0, at), 1)
    if (next === undefined) this.#idle.push(thread)
    else next.start(thread)
  }

  #suits(thread: Thread, end: End | undefined): boolean {
    return end === undefined || this.#homes.get(thread) === end
  }
}

/**
 * The end for a search. Searches that begin with the same run use the same end, because a thread
 * does not repeat runs that it played shortly before (`campaign/played-before.ts`).
 */
export function endOfSearch({ scenarioPath, run }: Pick<ShrinkTask, 'scenarioPath' | 'run'>): End {
  return hashText(scenarioPath, run) % 2 === 0 ? 'cheap' : 'dear'
}
