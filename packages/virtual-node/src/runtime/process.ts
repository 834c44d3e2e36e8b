import { AsyncResource } from 'node:async_hooks'
import { EventEmitter } from 'node:events'
import { assert } from '../assert.ts'
import type { ChoiceStream } from '../kernel/choices.ts'
import { hashText } from '../kernel/digest.ts'
import type { QueuedEvent } from '../kernel/event-queue.ts'
import type { Kernel } from '../kernel/kernel.ts'
import type { MachineClock } from '../kernel/machine-clock.ts'
import { disposedHost, noClock } from './disposed-host.ts'
import { EventLoop, type LateWork } from './event-loop.ts'
import { OwnState } from './node/own-state.ts'
import type { AdapterFiles } from './node/readable-files.ts'
import type { Pollable } from './pollable.ts'
import type { VirtualSocket } from './socket.ts'
import type { VirtualTimeout } from './timers.ts'
import type { Acceptor, ByteStream, Endpoint, ListenFailure, ServerSocket } from './transport.ts'

/** The services of the world for a process. */
export interface ProcessHost {
  readonly kernel: Pick<
    Kernel<VirtualProcess>,
    'choices' | 'nowUs' | 'lastSeq' | 'schedule' | 'turn' | 'cancel' | 'wentOffUs'
  >
  /** Opens a connection. Answers through `endpoint`, always in later turns of `process`. */
  connect(process: VirtualProcess, host: string, port: number, endpoint: Endpoint): ByteStream
  /** Listens on an address of the process's machine; port 0 stands for a free port. */
  listen(process: VirtualProcess, address: string, port: number, accept: Acceptor): ServerSocket | ListenFailure
  /** Address of a host name, or null if it is unknown. */
  resolve(hostname: string): string | null
  log(process: VirtualProcess, stream: 'stdout' | 'stderr', text: string): void
  /** The process did not catch an exception, a rejected promise or a throw in `nextTick`. */
  died(process: VirtualProcess, error: unknown): void
  unsupported(what: string): void
  /** The files that the process may read. */
  readonly files: AdapterFiles
  /** The process requested a file of its adapter, and got a result with that digest. */
  fileRead(what: string, digest: string): void
  /**
   * The process has drawn that number with `Math.random`. Without this method, such numbers are not
   * recorded.
   */
  drew?(process: VirtualProcess, number: number): void
  /** The process starts a timer of `delayMs`: a limit that it sets itself. */
  timerStarted(delayMs: number): void
}

/**
 * `delayMs`: the time from the timer's start; `dueUs`: when the timer fires, on the world's clock.
 */
export interface WaitingTimer {
  readonly delayMs: number
  readonly dueUs: number
}

/** The real process behind a simulated one: notified of state changes. */
export interface ProcessBody {
  paused(): void
  resumed(): void
  ended(): void
}

/**
 * One simulated consumer process with its own clock, timers, sockets, identity and randomness. It
 * runs, is paused (as by SIGSTOP: it does nothing, and events wait), or has ended. Further actions
 * of a process in the turn that ended it have no effect.
 */
export class VirtualProcess {
  state: 'running' | 'paused' | 'ended' = 'running'
  readonly sockets = new Set<VirtualSocket>()
  /** Listening sockets. */
  readonly servers = new Set<ServerSocket>()
  body: ProcessBody | null = null
  /** Timers whose number was requested. */
  readonly numberedTimers = new Map<number, VirtualTimeout>()
  /** Timers that were started and have neither fired nor been cleared. */
  readonly waitingTimers = new Set<VirtualTimeout>()
  /**
   * The timer of an external program that sleeps; null if it does not, and for a layer in
   * JavaScript.
   */
  sleep: WaitingTimer | null = null
  lastTimerNumber = 0
  readonly pid: number
  readonly hostname: string
  readonly #startedUs: number
  readonly #startedWallUs: number
  /** Scheduled events that have a separate phase. */
  readonly #late = new WeakMap<QueuedEvent<VirtualProcess>, LateWork>()
  /** Present from a pause until the process has caught up. */
  #loop: EventLoop<VirtualProcess> | null = null
  #turn: QueuedEvent<VirtualProcess> | null = null
  /** Immediates up to this sequence number belong to the last round that ran an immediate. */
  #lastImmediate = 0
  readonly #heldDepartures: (() => void)[] = []
  #chance: ChoiceStream | null = null
  #events: EventEmitter | null = null
  #own: OwnState | null = null

  constructor(
    public host: ProcessHost,
    /** `consumer-1`, `consumer-1.2` after a restart. */
    readonly name: string,
    /** The number of the slot, from 0; a restarted process keeps its slot. */
    readonly slot: number,
    readonly incarnation: number,
    /** The clocks of the process's machine, which outlive the process. */
    public clock: MachineClock,
  ) {
    this.pid = 1000 + slot * 100 + incarnation
    this.hostname = `host-${(hashText(name, 7) >>> 8).toString(16)}`
    this.#startedUs = clock.monotonicUs()
    this.#startedWallUs = clock.wallUs()
  }

  /** A timer of that length has fired. */
  wentOff(delayMs: number): void {
    const { wentOffUs, nowUs } = this.host.kernel
    if (!wentOffUs.has(delayMs)) wentOffUs.set(delayMs, nowUs)
  }

  /** Milliseconds since the Unix epoch on this process's own clock. */
  wallMs(): number {
    return Math.floor(this.clock.wallUs() / 1000)
  }

  /** The wall clock when this process started. */
  startedMs(): number {
    return this.#startedWallUs / 1000
  }

  /** Microseconds since this process started, on a clock that never steps. */
  monotonicUs(): number {
    return this.clock.monotonicUs() - this.#startedUs
  }

  /** The listeners of `process.on`. */
  get events(): EventEmitter {
    return (this.#events ??= new EventEmitter())
  }

  /** This process's own copy of state that Node keeps once for all code. */
  get own(): OwnState {
    return (this.#own ??= new OwnState(this))
  }

  /** 32 random bits. */
  bits(): number {
    this.#chance ??= this.host.kernel.choices.stream(`random:${this.name}`)
    return this.#chance.generator.next() >>> 0
  }

  /**
   * Schedules a turn of this process, after a delay on its own clock; an ended process gets no
   * turn.
   */
  schedule(delayUs: number, callback: () => void, timerMs: number | null = null): QueuedEvent<VirtualProcess> {
    return this.host.kernel.schedule(this.clock.worldDelayUs(delayUs), this, callback, timerMs)
  }

  /**
   * Schedules a turn for a callback of the current asynchronous work, in its context, like Node's
   * callbacks.
   */
  callBack(callback: () => void): void {
    // Like `AsyncResource.bind`, which also adds properties to the function, at ten times the cost.
    const resource = new AsyncResource(callback.name || 'bound-anonymous-fn')
    this.schedule(0, () => resource.runInAsyncScope(callback))
  }

  /** Sends now, or when the process is resumed: a stopped process sends nothing. */
  whenRunning(send: () => void): void {
    if (this.state === 'running') {
      assert(this.#heldDepartures.length === 0, 'what a stopped process held back leaves first')
      send()
    } else if (this.state === 'paused') this.#heldDepartures.push(send)
  }

  /** Schedules a turn for that phase of the event loop. */
  scheduleLate(phase: LateWork['phase'], callback: () => void): void {
    // Closed handles come after the immediates of their round, and so after the immediates that
    // this turn has made or will make.
    const first = phase === 'closing' ? () => this.#scheduleLate(phase, callback, callback) : callback
    this.#scheduleLate(phase, callback, first)
  }

  #scheduleLate(phase: LateWork['phase'], callback: () => void, inTurn: () => void): void {
    this.#late.set(this.schedule(0, inTurn), { phase, callback })
  }

  /** True if events for this process have to wait. */
  get isBehind(): boolean {
    return this.#loop !== null
  }

  /**
   * Something has arrived. The process polls it now or, if the process is behind, in the order of
   * its event loop. Call this method only from an event without an owner, or if the process is
   * behind.
   */
  wake(pollable: Pollable): void {
    if (this.#loop !== null) this.#loop.ready(pollable)
    else this.host.kernel.turn(this, () => pollable.poll())
  }

  /** Called by the runtime before each turn: false if the process keeps it for later. */
  begins(event: QueuedEvent<VirtualProcess>): boolean {
    const loop = this.#loop
    if (loop !== null && !loop.isTurning) {
      loop.keep(event, this.#late.get(event) ?? null)
      return false
    }
    assert(this.#turn === null, 'a process takes one turn at a time')
    assert(this.state === 'running', 'only a process that runs takes turns')
    this.#turn = event
    if (event.timerMs === 0 && event.seq > this.#lastImmediate) this.#lastImmediate = this.host.kernel.lastSeq
    return true
  }

  /** The turn is over. */
  ends(): void {
    this.#turn = null
  }

  pause(): void {
    if (this.state !== 'running') return
    this.state = 'paused'
    this.#loop ??= this.#newLoop()
    this.body?.paused()
  }

  #newLoop(): EventLoop<VirtualProcess> {
    const { kernel } = this.host
    const turn = this.#turn
    const isClosing = turn !== null && this.#late.get(turn)?.phase === 'closing'
    const looping = {
      kernel,
      owner: this,
      isRunning: () => this.state === 'running',
      chance: () => kernel.choices.stream(`resume:${this.name}`),
      over: () => {
        this.#loop = null
      },
    }
    return new EventLoop(looping, { turn, isClosing, lastImmediate: this.#lastImmediate })
  }

  /** Waiting events happen in Node's order, all at this virtual time. */
  resume(): void {
    if (this.state !== 'paused') return
    this.state = 'running'
    this.body?.resumed()
    for (const send of this.#heldDepartures.splice(0)) send()
    this.#loop!.goOn()
  }

  /**
   * Drops everything of this process: no timer fires, no continuation resumes, its sockets are
   * gone.
   */
  end(): void {
    this.state = 'ended'
    this.#heldDepartures.length = 0
    this.#loop = null
    for (const server of this.servers) server.close()
    for (const socket of this.sockets) socket.abandon()
    for (const left of [this.servers, this.sockets, this.waitingTimers]) left.clear()
    this.body?.ended()
  }

  /**
   * Called when the run is over. Clients outlive the run until the next full garbage collection,
   * because V8 puts closures that are assigned to properties among the old objects at once, and
   * treats the values of WeakMaps as alive. Clients must not keep the whole world alive. So each
   * part that a client or the stack of an Error can reach drops its references to other parts.
   */
  dispose(): void {
    if (this.state !== 'ended') this.end()
    this.host = disposedHost
    this.clock = noClock
    this.body = null
    this.#chance = null
    this.#own = null
  }
}
