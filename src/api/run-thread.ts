/**
 * The thread that draws and plays the runs of properties. It is separate because a test runner must
 * not share the clocks, timers and sockets of a simulated process, and because ending the thread
 * stops a layer that blocks forever.
 */
import { MessageChannel, receiveMessageOnPort, Worker } from 'node:worker_threads'
import { exitCodes } from '../contract/api/exit-codes.ts'
import type { Question, ThreadAnswer, ThreadAnswers } from '../contract/api/planned-run.ts'
import { SimulationError } from './simulate.ts'

const program = new URL('../../bin/property.mjs', import.meta.url)

/**
 * The limits of wall time and of CPU time for one question, as in the watchdog of the command line.
 */
const usual = { wallMs: 60_000, cpuMs: 30_000 } as const
/** The limit of wall time that applies even if the thread has used little CPU time. */
const mostWallMs = 600_000
const lookEveryMs = 250
/** The same limit as for the workers of the command line. */
const resourceLimits = { maxYoungGenerationSizeMb: 96 }

interface Answered {
  readonly id: number | null
  readonly answer: ThreadAnswer
}

type Asked<Kind extends keyof ThreadAnswers> = { kind: Kind } & ThreadAnswers[Kind]['ask']

export class RunThread {
  static #current: RunThread | null = null

  /** The thread that all properties of a process share, so that modules are loaded once. */
  static get current(): RunThread {
    if (RunThread.#current?.isOver !== false) RunThread.#current = new RunThread()
    return RunThread.#current
  }

  isOver = false
  readonly #answered = new Int32Array(new SharedArrayBuffer(4))
  readonly #port
  readonly #worker: Worker
  readonly #waiting = new Map<number, (answer: ThreadAnswer) => void>()
  #asked = 0

  constructor(private readonly limits: { readonly wallMs: number; readonly cpuMs: number } = usual) {
    const { port1, port2 } = new MessageChannel()
    this.#port = port1
    this.#worker = new Worker(program, {
      workerData: { port: port2, answered: this.#answered },
      transferList: [port2],
      // The Node options of the test runner are meant only for its own modules.
      execArgv: [],
      resourceLimits,
    })
    this.#worker.on('message', ({ id, answer }: Answered) => {
      this.#waiting.get(id!)?.(answer)
      this.#waiting.delete(id!)
    })
    this.#worker.on('error', (error) => this.#end(error.message))
    this.#worker.on('exit', (code) => this.#end(`it ended with ${code}`))
    // `unref` comes after the listeners, because a listener that is added later would keep the
    // process alive.
    this.#worker.unref()
    this.#port.unref()
  }

  /**
   * Blocks until the answer arrives, because fast-check draws and shrinks synchronously.
   * @throws SimulationError
   */
  askNow<Kind extends 'draw' | 'shrink'>(question: Asked<Kind>): ThreadAnswers[Kind]['answer'] {
    const id = this.#send(question as Question, true)
    const isLate = this.#lateness()
    for (;;) {
      const seen = Atomics.load(this.#answered, 0)
      const got = receiveMessageOnPort(this.#port)?.message as Answered | undefined
      if (got?.id === id) return valueIn(got.answer) as never
      if (got?.id === null) {
        this.isOver = true
        return valueIn(got.answer) as never
      }
      if (got !== undefined) continue
      if (isLate()) throw this.#giveUp()
      Atomics.wait(this.#answered, 0, seen, lookEveryMs)
    }
  }

  /** @throws SimulationError */
  async ask<Kind extends 'play'>(question: Asked<Kind>): Promise<ThreadAnswers[Kind]['answer']> {
    const isLate = this.#lateness()
    // The interval also keeps the process alive, because the thread does not.
    const look = setInterval(() => isLate() && this.#end(this.#giveUp().remedy), lookEveryMs)
    try {
      const answer = new Promise<ThreadAnswer>((resolve) => {
        this.#waiting.set(this.#send(question as Question, false), resolve)
      })
      return valueIn(await answer) as never
    } finally {
      clearInterval(look)
    }
  }

  #send(question: Question, blocks: boolean): number {
    const id = this.#asked++
    this.#worker.postMessage({ id, blocks, question })
    return id
  }

  /**
   * Returns a function that returns true when the answer is late. An answer is late only if this
   * process has also used CPU time, because otherwise the machine may be busy.
   */
  #lateness(): () => boolean {
    const sinceMs = performance.now()
    const since = process.cpuUsage()
    return () => {
      const wallMs = performance.now() - sinceMs
      const { user, system } = process.cpuUsage(since)
      return wallMs >= mostWallMs || (wallMs >= this.limits.wallMs && (user + system) / 1000 >= this.limits.cpuMs)
    }
  }

  #giveUp(): SimulationError {
    this.isOver = true
    void this.#worker.terminate()
    const seconds = Math.round(this.limits.wallMs / 1000)
    return new SimulationError(
      culprit,
      `a turn of the layer has not ended after ${seconds} s; look for an endless loop`,
      3,
    )
  }

  #end(remedy: string): void {
    this.isOver = true
    for (const answer of this.#waiting.values()) answer({ ok: false, culprit, remedy, exitCode: exitCodes.harness })
    this.#waiting.clear()
  }
}

const culprit = 'the simulation'

function valueIn(answer: ThreadAnswer): unknown {
  if (answer.ok) return answer.value
  throw new SimulationError(answer.culprit, answer.remedy, answer.exitCode)
}
