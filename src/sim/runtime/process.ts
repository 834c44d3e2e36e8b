import { AsyncResource } from 'node:async_hooks'
import { EventEmitter } from 'node:events'
import type { ChoiceStream } from '../kernel/choices.ts'
import { hashText } from '../kernel/digest.ts'
import type { QueuedEvent } from '../kernel/event-queue.ts'
import type { Kernel } from '../kernel/kernel.ts'
import type { MachineClock } from '../kernel/machine-clock.ts'
import { disposedHost, noClock } from './disposed-host.ts'
import { inNextRound } from './next-round.ts'
import { OwnState } from './node/own-state.ts'
import type { AdapterFiles } from './node/readable-files.ts'
import { resumption } from './resumption.ts'
import type { VirtualSocket } from './socket.ts'
import type { VirtualTimeout } from './timers.ts'
import type { Acceptor, ByteStream, Endpoint, ListenFailure, ServerSocket } from './transport.ts'

/** What a process lives on; the world offers it. */
export interface ProcessHost {
  readonly kernel: Pick<Kernel<VirtualProcess>, 'choices' | 'nowUs' | 'schedule' | 'requeue' | 'cancel'>
  /** Opens a connection. Answers through `endpoint`, always in later turns of `process`. */
  connect(process: VirtualProcess, host: string, port: number, endpoint: Endpoint): ByteStream
  /** Listens on an address of the process's machine; port 0 is one that is free. */
  listen(process: VirtualProcess, address: string, port: number, accept: Acceptor): ServerSocket | ListenFailure
  /** Address of a host name, or null when nobody has it. */
  resolve(hostname: string): string | null
  log(process: VirtualProcess, stream: 'stdout' | 'stderr', text: string): void
  /** An exception, a rejected promise or a throw in `nextTick` of the process's own. */
  died(process: VirtualProcess, error: unknown): void
  unsupported(what: string): void
  /** Which files it may read. */
  readonly files: AdapterFiles
  /** It asked for a file of its adapter's, and got an answer with that digest. */
  fileRead(what: string, digest: string): void
  /** It has drawn that number with `Math.random`. Absent: nobody asks. */
  drew?(process: VirtualProcess, number: number): void
  /** The process starts a timer of `delayMs`: a limit that it sets itself. */
  timerStarted(delayMs: number): void
}

/** What stands behind a simulated process, where that is a real one: it learns what becomes of it. */
export interface ProcessBody {
  paused(): void
  resumed(): void
  ended(): void
}

/**
 * One simulated consumer process: its own clock, timers, sockets, identity and randomness.
 * It runs, is paused (as by SIGSTOP: nothing of it happens, what comes for it waits), or has ended.
 * What an ended process still does in the turn that ended it has no effect.
 */
export class VirtualProcess {
  state: 'running' | 'paused' | 'ended' = 'running'
  readonly sockets = new Set<VirtualSocket>()
  /** Those that listen. */
  readonly servers = new Set<ServerSocket>()
  body: ProcessBody | null = null
  /** Timers of which a number was asked. */
  readonly numberedTimers = new Map<number, VirtualTimeout>()
  /** Timers that were started and have neither fired nor been cleared. */
  waitingTimers = 0
  lastTimerNumber = 0
  readonly pid: number
  readonly hostname: string
  readonly #startedUs: number
  readonly #startedWallUs: number
  readonly #deferred: QueuedEvent<VirtualProcess>[] = []
  readonly #heldDepartures: (() => void)[] = []
  #pausedUs = 0
  #chance: ChoiceStream | null = null
  #events: EventEmitter | null = null
  #own: OwnState | null = null

  constructor(
    public host: ProcessHost,
    /** `consumer-1`, `consumer-1.2` after a restart. */
    readonly name: string,
    /** From 0; a restarted process keeps its slot. */
    readonly slot: number,
    readonly incarnation: number,
    /** Its machine's clocks; they outlive it. */
    public clock: MachineClock,
  ) {
    this.pid = 1000 + slot * 100 + incarnation
    this.hostname = `host-${(hashText(name, 7) >>> 8).toString(16)}`
    this.#startedUs = clock.monotonicUs()
    this.#startedWallUs = clock.wallUs()
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

  /** What `process.on` listens to. */
  get events(): EventEmitter {
    return (this.#events ??= new EventEmitter())
  }

  /** What Node keeps once for all of its code. */
  get own(): OwnState {
    return (this.#own ??= new OwnState(this))
  }

  /** 32 random bits. */
  bits(): number {
    this.#chance ??= this.host.kernel.choices.stream(`random:${this.name}`)
    return this.#chance.generator.next() >>> 0
  }

  /** Schedules a turn of this process, after a delay on its own clock; an ended process gets none. */
  schedule(delayUs: number, callback: () => void, timerMs: number | null = null): QueuedEvent<VirtualProcess> {
    return this.host.kernel.schedule(this.clock.worldDelayUs(delayUs), this, callback, timerMs)
  }

  /** A turn of its own for a callback of the asynchronous work that is at hand, to which it belongs as Node's callbacks do. */
  callBack(callback: () => void): void {
    this.schedule(0, AsyncResource.bind(callback))
  }

  /** Does now what leaves the process, or when it is resumed: a stopped process sends nothing. */
  whenRunning(send: () => void): void {
    if (this.state === 'running') send()
    else if (this.state === 'paused') this.#heldDepartures.push(send)
  }

  /** Keeps a turn for later; the runtime calls it for a paused process. */
  defer(event: QueuedEvent<VirtualProcess>): void {
    this.#deferred.push(event)
  }

  pause(): void {
    if (this.state !== 'running') return
    this.state = 'paused'
    this.#pausedUs = this.host.kernel.nowUs
    this.body?.paused()
  }

  /** What had waited happens in Node's order, all at this virtual time. */
  resume(): void {
    if (this.state !== 'paused') return
    this.state = 'running'
    this.body?.resumed()
    for (const send of this.#heldDepartures.splice(0)) send()
    const { kernel } = this.host
    const chance = () => kernel.choices.stream(`resume:${this.name}`)
    const { next, last } = resumption(this.#deferred.splice(0), this.#pausedUs, chance)
    for (const event of next) kernel.requeue(event)
    if (last.length > 0) inNextRound(kernel, () => last.forEach((event) => void kernel.requeue(event)))
  }

  /** Drops everything of this process: no timer fires, no continuation resumes, its sockets are gone. */
  end(): void {
    this.state = 'ended'
    this.#heldDepartures.length = 0
    this.#deferred.length = 0
    for (const server of this.servers) server.close()
    for (const socket of this.sockets) socket.abandon()
    this.servers.clear()
    this.sockets.clear()
    this.body?.ended()
  }

  /**
   * Its run is over. Clients outlive it until the next full garbage collection, since V8 puts closures that are assigned
   * to properties among the old objects at once, and takes the values of WeakMaps for alive. They must not keep the whole
   * world: each part that they can reach lets go of the rest, as do those that stand in the stack of an Error.
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
