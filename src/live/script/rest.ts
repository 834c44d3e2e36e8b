/**
 * Whether something can still come of a consumer's process in a run that follows a script, without anything being let in to
 * it. It says so itself, once all of it waits and nothing that it sent is under way: the path was left where the script
 * expects a step of it then. A process that has ended, or is stopped, does nothing.
 */
import type { ConsumerProcess } from '../consumer-process.ts'
import type { FromConsumer } from '../protocol.ts'

interface RestSetting {
  /** That have not ended. */
  readonly processes: () => readonly ConsumerProcess[]
  /** How many of its requests for effects are at the sink, and unanswered. */
  readonly atSink: (process: ConsumerProcess) => number
  /** Whether an end of a connection is at the process once this one has had a turn: otherwise nobody knows what is under way. */
  readonly endsInTurn: boolean
}

export class Rest {
  #questions = 0
  readonly #asked = new Map<number, () => void>()

  constructor(private readonly setting: RestSetting) {}

  hear({ question }: Extract<FromConsumer, { type: 'at-rest' }>): void {
    this.#asked.get(question)?.()
    this.#asked.delete(question)
  }

  /** Resolves once nothing more comes of the process of that name by itself; never where that cannot be known. */
  async of(name: string): Promise<void> {
    // What the system has for this process is taken in, and handed on by the proxies.
    await new Promise(setImmediate)
    await new Promise(setImmediate)
    const process = this.setting.processes().find((one) => one.name === name)
    if (process?.state !== 'running') return
    if (!this.setting.endsInTurn) return new Promise(() => {})
    await process.loaded
    const question = ++this.#questions
    const answered = new Promise<void>((resolve) => this.#asked.set(question, resolve))
    process.send({ type: 'rest', question, performing: this.setting.atSink(process) })
    await Promise.race([answered, process.gone])
  }
}
