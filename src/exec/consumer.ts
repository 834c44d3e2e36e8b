import type { ByteStream, Endpoint, ProcessBody, VirtualProcess } from 'virtual-node/runtime'
import { awaitOutside, within } from 'virtual-node/runtime'
import type { CreateContext, DeployContext, Handler, RedisAddress } from '../contract/api/implementation.ts'
import type { JsonValue } from '../contract/api/json.ts'
import type { Message, Outcome } from '../contract/api/message.ts'
import type { EffectRequest, Sink } from '../contract/api/sink.ts'
import type { Child, Heard, Problem, ProgramWord } from './child.ts'
import type { Program } from './program.ts'
import type { Birth, Notice, SinkGave, SinkWord } from './protocol.ts'

type Answered = Extract<ProgramWord, { readonly delivery: number }>

interface Waiting<T> {
  resolve(value: T): void
  reject(error: Error): void
}

/**
 * A consumer that is a real process. The simulated process performs the actions of the real
 * process, and sends its own events to the real process. Virtual time stands still until the real
 * process is idle.
 */
export class Consumer implements ProcessBody, Handler {
  #child: Child | null = null
  #over = false
  #deliveries = 0
  #timer: ReturnType<VirtualProcess['schedule']> | null = null
  #creating: Waiting<Handler> | null = null
  readonly #handling = new Map<number, Waiting<Outcome>>()
  readonly #streams = new Map<number, ByteStream>()

  constructor(
    private readonly process: VirtualProcess,
    private readonly program: Program,
    /** Null for the process of an operator, which handles no messages. */
    private readonly reaches: Pick<CreateContext, 'sink' | 'lock'> | null,
  ) {
    process.body = this
  }

  /** Called in a turn of the process. */
  create({ redis, instanceId, leaseMs, retentionMs, sink }: CreateContext): Promise<Handler> {
    const layer = { instanceId, leaseMs, retentionMs, sink: sink.kind }
    return this.#begin({ type: 'create', ...this.#birth(redis), ...layer })
  }

  /** Called in a turn of the process. */
  async deploy({ redis }: DeployContext): Promise<void> {
    await this.#begin({ type: 'deploy', ...this.#birth(redis) })
  }

  #birth({ options, ...address }: RedisAddress): Birth {
    const { pid, hostname } = this.process
    return {
      redis: { ...options, ...address },
      carrier: this.program.bridgePort,
      pid,
      hostname,
      seed: this.process.bits(),
    }
  }

  #begin(notice: Notice): Promise<Handler> {
    const times = this.#times()
    const begun = within(null, () =>
      this.program.take().then((child) => {
        if (this.#over) child.kill()
        this.#child = child
        return child.notify(notice, times)
      }),
    )
    this.#listen(begun)
    return new Promise((resolve, reject) => (this.#creating = { resolve, reject }))
  }

  handle(message: Message): Promise<Outcome> {
    const delivery = ++this.#deliveries
    this.#notify({ type: 'deliver', delivery, message })
    return new Promise((resolve, reject) => this.#handling.set(delivery, { resolve, reject }))
  }

  // The following methods send messages to the real process, in turns of the simulated process.

  #times() {
    return { wallUs: this.process.clock.wallUs(), monoUs: this.process.monotonicUs() }
  }

  #notify(notice: Notice, bytes?: string): void {
    const child = this.#child
    if (child === null || this.#over) return
    // A fault may have paused the process in this turn. The message is then sent after the process
    // is resumed.
    if (this.process.state === 'paused') return void this.process.schedule(0, () => this.#notify(notice, bytes))
    const times = this.#times()
    this.#listen(within(null, () => child.notify(notice, times, bytes)))
  }

  #listen(hearing: Promise<Heard>): void {
    awaitOutside(hearing, (result) => {
      if (this.#over) return
      if (result.status === 'rejected') return this.#fail(result.reason)
      this.process.schedule(0, () => this.#heard(result.value as Heard))
    })
  }

  /** Ends the run with an error. */
  #fail(error: unknown): void {
    within(null, () => this.#child?.kill())
    this.process.host.kernel.schedule(0, null, () => {
      throw error
    })
  }

  #blame(problem: Problem): void {
    this.#fail(this.program.blame(problem, this.process.name))
  }

  #heard(heard: Heard): void {
    for (const word of heard.words) {
      if (this.#over) return
      this.#obey(word)
    }
    if (this.#over) return
    if ('problem' in heard) {
      if (heard.problem.kind !== 'ended') return this.#blame(heard.problem)
      return this.process.host.died(this.process, new Error(`the program ${heard.problem.text}`))
    }
    if (this.#timer !== null) this.process.host.kernel.cancel(this.#timer)
    const { untilUs } = heard.idle
    const inUs = untilUs === null ? null : Math.max(0, Math.ceil(untilUs - this.process.monotonicUs()))
    this.#timer = inUs === null ? null : this.process.schedule(inUs, () => this.#wake())
    this.process.sleep = this.#timer && { delayMs: Math.ceil(inUs! / 1000), dueUs: this.#timer.atUs }
  }

  // The following methods perform the actions of the real process.

  #wake(): void {
    this.process.wentOff(this.process.sleep!.delayMs)
    this.process.sleep = null
    this.#notify({ type: 'wake' })
  }

  #obey(word: ProgramWord): void {
    const { host } = this.process
    switch (word.type) {
      case 'ready':
        return this.#creating?.resolve(this)
      case 'failed':
        return this.#creating?.reject(named(word.error))
      case 'outcome':
        return this.#settle(word, ({ resolve }) => resolve(word.outcome as unknown as Outcome))
      case 'threw':
        return this.#settle(word, ({ reject }) => reject(named(word.error)))
      case 'sink':
        return this.#ask(word)
      case 'lock':
        return this.reaches?.lock[word.what](word.key)
      case 'log':
        return host.log(this.process, 'stdout', word.text)
      case 'unsupported':
        return this.#blame({ kind: 'unsupported', text: `uses ${word.what}` })
      case 'timer':
        return host.timerStarted(word.ms)
      case 'connect':
        return this.#connect(word)
      case 'sent':
        return void this.#streams.get(word.connection)?.send(word.data!)
      case 'finish':
        return void this.#streams.get(word.connection)?.finish()
      case 'close':
        this.#streams.get(word.connection)?.close(false)
        this.#streams.delete(word.connection)
    }
  }

  #settle({ type, delivery }: Answered, how: (waiting: Waiting<Outcome>) => void): void {
    const waiting = this.#handling.get(delivery)
    this.#handling.delete(delivery)
    if (waiting !== undefined) return how(waiting)
    const text = `sent ${type} for delivery ${delivery}, which is unknown or answered already`
    this.#blame({ kind: 'not-the-protocol', text })
  }

  #ask(word: SinkWord): void {
    const answer = (gave: SinkGave) => this.#notify({ type: 'answer', id: word.id, ...gave })
    const asked = request(this.reaches?.sink ?? noSink, word)
    void asked.then(
      (value) => answer({ value: value as JsonValue | undefined }),
      (error: Error) => answer({ error: { name: error.name, message: error.message } }),
    )
  }

  #connect({ connection, host: name, port, inline }: Extract<ProgramWord, { readonly type: 'connect' }>): void {
    const { host } = this.process
    const address = host.resolve(name)
    if (address === null) return this.#notify({ type: 'refused', connection, code: 'ENOTFOUND' })
    const endpoint: Endpoint = {
      connected: () => this.#notify({ type: 'connected', connection }),
      connectFailed: (code) => this.#notify({ type: 'refused', connection, code }),
      received: (bytes) =>
        inline
          ? this.#notify({ type: 'data', connection, data: bytes })
          : this.#notify({ type: 'data', connection, bytes: bytes.length }, bytes),
      ended: () => this.#notify({ type: 'ended', connection }),
      broken: (code) => this.#notify({ type: 'broken', connection, code }),
    }
    this.#streams.set(connection, host.connect(this.process, address, port, endpoint))
  }

  // The following methods apply faults and the end of the simulated process to the real process.

  paused(): void {
    const child = this.#child
    if (child !== null) this.#await(within(null, () => child.pause()))
  }

  resumed(): void {
    const child = this.#child
    if (child !== null) this.#await(within(null, () => child.resume()))
  }

  #await(signal: Promise<void>): void {
    awaitOutside(signal, (result) => {
      if (result.status === 'rejected') this.#fail(result.reason)
    })
  }

  ended(): void {
    if (this.#over) return
    this.#over = true
    for (const stream of this.#streams.values()) stream.close(true)
    this.#streams.clear()
    within(null, () => this.#child?.kill())
  }
}

const noSink: Sink = { kind: 'plain', perform: () => Promise.reject(new Error('deploy performs no effect')) }

function request(sink: Sink, { ask, key, payload = null, fence, reference }: SinkWord): Promise<unknown> {
  const fenced = fence === undefined ? {} : { fence }
  const named = reference === undefined ? {} : { reference }
  if (ask === 'perform') return sink.perform({ key, payload, ...fenced, ...named } satisfies EffectRequest)
  if (ask === 'lookup' && sink.lookup !== undefined) return sink.lookup(key)
  if (ask === 'raise' && sink.raise !== undefined) return sink.raise(key, fence ?? 0)
  if (ask === 'cancel' && sink.cancel !== undefined && reference !== undefined) return sink.cancel(key, reference)
  return Promise.reject(new Error(`a ${sink.kind} sink does not support ${ask}`))
}

/** The error that the program reported as `TypeError: …`. */
function named(text: string): Error {
  const at = text.indexOf(': ')
  return Object.assign(new Error(at < 0 ? text : text.slice(at + 2)), at < 0 ? {} : { name: text.slice(0, at) })
}
