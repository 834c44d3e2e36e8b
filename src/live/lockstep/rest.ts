/**
 * Finds out whether a consumer's process in a scheduled run can still produce something without
 * further input. The process reports that it is at rest once all of its work waits and nothing that
 * it sent is in flight. If the schedule then expects a step of the process, the run has diverged. A
 * process that has ended or is stopped does nothing.
 */
import type { ConsumerProcess } from '../host/consumer-process.ts'
import type { FromConsumer } from '../host/protocol.ts'

interface RestSetting {
  /** Returns the processes that have not ended. */
  readonly processes: () => readonly ConsumerProcess[]
  /** Returns the number of the process's requests that are unanswered at the sink. */
  readonly atSink: (process: ConsumerProcess) => number
  /** True if the end of a connection reaches the process within one turn of the event loop. */
  readonly endsInTurn: boolean
  wait(ms: number): Promise<void>
}

/**
 * The time that the end of a connection takes to reach a process from a container or through a
 * user's proxy.
 */
const endsMs = 250

export class Rest {
  #questions = 0
  /** The number of cancelled questions. */
  #overs = 0
  readonly #pending = new Map<number, () => void>()

  constructor(private readonly setting: RestSetting) {}

  hear({ question }: Extract<FromConsumer, { type: 'at-rest' }>): void {
    this.#pending.get(question)?.()
    this.#pending.delete(question)
  }

  /** Resolves once `of` has resolved for every process. */
  async ofAll(): Promise<void> {
    await Promise.all(this.setting.processes().map(({ name }) => this.of(name)))
  }

  /**
   * Resolves once the process of that name produces nothing more by itself; at once if the name is
   * null. It may never resolve.
   */
  async of(name: string | null): Promise<void> {
    // Lets this process read pending data, and the proxies forward them.
    await new Promise(setImmediate)
    await new Promise(setImmediate)
    const process = this.setting.processes().find((one) => one.name === name)
    if (process?.state !== 'running') return
    await process.loaded
    // Asks again if the process got orders meanwhile, because its answer does not cover them.
    do await this.#answer(process)
    while (process.undigested > 0 && !process.hasExited)
    if (this.setting.endsInTurn) return
    // Asks again later, because a connection that a server or a proxy has ended may not have ended
    // for the process yet.
    const nth = this.#overs
    await this.setting.wait(endsMs)
    if (nth === this.#overs) await this.#answer(process)
  }

  /** Cancels the questions to all processes. */
  overAll(): void {
    for (const { name } of this.setting.processes()) this.over(name)
  }

  /** Cancels the question to that process. */
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
