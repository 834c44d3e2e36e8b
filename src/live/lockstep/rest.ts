/**
 * Whether something can still come of a consumer's process in a run that follows a schedule,
 * without anything being let in to it. It says so itself, once all of it waits and nothing that it
 * sent is under way: the path was left where the schedule expects a step of it then. A process that
 * has ended, or is stopped, does nothing.
 */
import type { ConsumerProcess } from '../host/consumer-process.ts'
import type { FromConsumer } from '../host/protocol.ts'

interface RestSetting {
  /** That have not ended. */
  readonly processes: () => readonly ConsumerProcess[]
  /** How many of its requests are at the sink, and unanswered. */
  readonly atSink: (process: ConsumerProcess) => number
  /** Whether an end of a connection is at the process once this one has had a turn. */
  readonly endsInTurn: boolean
  wait(ms: number): Promise<void>
}

/**
 * How long the end of a connection takes to a process, out of a container or through a proxy of
 * somebody's.
 */
const endsMs = 250

export class Rest {
  #questions = 0
  /** How often nobody waited any more. */
  #overs = 0
  readonly #pending = new Map<number, () => void>()

  constructor(private readonly setting: RestSetting) {}

  hear({ question }: Extract<FromConsumer, { type: 'at-rest' }>): void {
    this.#pending.get(question)?.()
    this.#pending.delete(question)
  }

  /** The same of all that run. */
  async ofAll(): Promise<void> {
    await Promise.all(this.setting.processes().map(({ name }) => this.of(name)))
  }

  /**
   * Resolves once nothing more comes of the process of that name by itself; null: of none. It may
   * never resolve.
   */
  async of(name: string | null): Promise<void> {
    // What the system has for this process is taken in, and handed on by the proxies.
    await new Promise(setImmediate)
    await new Promise(setImmediate)
    const process = this.setting.processes().find((one) => one.name === name)
    if (process?.state !== 'running') return
    await process.loaded
    // What it is given meanwhile, it had not got when it answered.
    do await this.#answer(process)
    while (process.undigested > 0 && !process.hasExited)
    if (this.setting.endsInTurn) return
    // What a server or a proxy has ended may not be at the process yet.
    const nth = this.#overs
    await this.setting.wait(endsMs)
    if (nth === this.#overs) await this.#answer(process)
  }

  /** Nobody waits for any of them any more. */
  overAll(): void {
    for (const { name } of this.setting.processes()) this.over(name)
  }

  /** Nobody waits for that any more. */
  over(name: string | null): void {
    this.#overs++
    const process = this.setting.processes().find((one) => one.name === name)
    if (process?.state === 'running') process.send({ type: 'rest-over' })
  }

  async #answer(process: ConsumerProcess): Promise<void> {
    const question = ++this.#questions
    const answered = new Promise<void>((resolve) => this.#pending.set(question, resolve))
    process.send({ type: 'rest', question, requestsAtSink: this.setting.atSink(process) })
    await Promise.race([answered, process.gone])
  }
}
