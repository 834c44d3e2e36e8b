/**
 * One TCP connection to a primary, which sends begins together with the WAIT for their replicas.
 * WAIT counts replicas that reached the last write of the same connection. On another connection,
 * that write may be older than the begin or on another server, so replicas without the begin would
 * count. Therefore this client never reconnects, and any irregularity ends it.
 */
import { asError } from './as-error.ts'
import type { Reply } from './connection.ts'
import type { Settings } from './options.ts'
import { within } from './pause.ts'
import type { Primary } from './primary.ts'
import { primaryEpochOf, sameEpoch } from './primary-epoch.ts'
import type { Script } from './scripts.ts'
import type { ServerClient } from './server-client.ts'

export type Written =
  /**
   * The script was executed, and then `acknowledged` of the `attached` replicas acknowledged it,
   * all in one epoch of one primary.
   */
  | { readonly answered: true; readonly reply: Reply; readonly acknowledged: number; readonly attached: number }
  /**
   * The script may have been executed, or may be later, on a primary that may be deposed.
   */
  | { readonly answered: false; readonly error: Error }

type Timing = Pick<Settings, 'replicas' | 'waitMs' | 'commandMs' | 'callTimeoutMs'>

interface Request {
  readonly script: Script
  readonly keys: readonly string[]
  readonly args: readonly (string | number)[]
  readonly settle: (written: Written) => void
}

export class Line {
  readonly #client: ServerClient
  readonly #timing: Timing
  readonly #connected: Promise<void>
  #queue: Request[] = []
  #busy = false
  /** True once the script was sent to the server in full. */
  #cached = false
  #over = false

  constructor(primary: Primary, timing: Timing) {
    this.#timing = timing
    this.#client = primary.dial(neverAgain(timing))
    this.#client.on('error', () => {}) // failed calls report the error
    this.#connected = inTime(this.#client.connect(), timing.callTimeoutMs)
    this.#connected.catch(() => this.close())
  }

  get over(): boolean {
    return this.#over || this.#client.status === 'end'
  }

  /** Requests that arrive during a WAIT are sent next, together, with one WAIT for all. */
  write(script: Script, keys: readonly string[], args: readonly (string | number)[]): Promise<Written> {
    return new Promise((settle) => {
      this.#queue.push({ script, keys, args, settle })
      if (!this.#busy) void this.#work()
    })
  }

  /** CLUSTER NODES, as this primary sees it. */
  async nodes(): Promise<string> {
    await this.#connected
    return String(await this.#client.cluster('NODES'))
  }

  close(): void {
    this.#over = true
    this.#client.disconnect()
  }

  async #work(): Promise<void> {
    this.#busy = true
    while (this.#queue.length > 0) {
      const batch = this.#queue
      this.#queue = []
      try {
        await this.#connected
        await this.#send(batch)
      } catch (error) {
        this.close()
        for (const { settle } of batch) settle({ answered: false, error: asError(error) })
      }
    }
    this.#busy = false
  }

  /** Writes all commands in one turn, so that no other write of this connection separates them. */
  async #send(batch: readonly Request[]): Promise<void> {
    const { replicas, waitMs } = this.#timing
    const before = this.#client.info('replication')
    const scripts = batch.map((request) => this.#evaluate(request))
    const wait = this.#client.wait(replicas, waitMs)
    const after = this.#client.info('replication')
    const [standing, ...replies] = await Promise.allSettled([Promise.all([before, wait, after]), ...scripts])
    if (standing.status === 'rejected') throw standing.reason
    const [then, acknowledged, now] = standing.value
    const { attached } = sameEpoch(primaryEpochOf(then), primaryEpochOf(now), 'its replicas were waited for')
    this.#cached = true
    for (const [at, reply] of replies.entries()) {
      const { settle } = batch[at]!
      if (reply.status === 'fulfilled') settle({ answered: true, reply: reply.value as Reply, acknowledged, attached })
      else this.#refused(settle, reply.reason)
    }
  }

  /**
   * The script was redirected, refused as read-only, or is no longer cached. The next request gets
   * a new line, with the current state.
   */
  #refused(settle: Request['settle'], reason: unknown): void {
    this.close()
    settle({ answered: false, error: asError(reason) })
  }

  #evaluate({ script, keys, args }: Request): Promise<unknown> {
    return this.#cached
      ? this.#client.evalsha(script.sha, keys.length, ...keys, ...args)
      : this.#client.eval(script.lua, keys.length, ...keys, ...args)
  }
}

async function inTime(connected: Promise<unknown>, ms: number): Promise<void> {
  const done = connected.then(() => true)
  if (!(await within(ms, done, false))) throw new Error('no connection to the primary in time')
}

/**
 * The client repeats and queues nothing: an answer belongs to the one connection on which the
 * request was sent.
 */
function neverAgain({ waitMs, commandMs }: Timing) {
  const answerMs = waitMs + commandMs
  return {
    retryStrategy: () => null,
    sentinelRetryStrategy: () => null,
    reconnectOnError: null,
    autoResendUnfulfilledCommands: false,
    maxRetriesPerRequest: 0,
    enableOfflineQueue: false,
    enableAutoPipelining: false,
    commandTimeout: answerMs,
    socketTimeout: answerMs,
  }
}
