/**
 * Machines with Redis servers and Sentinels, on an in-memory network with virtual time.
 *
 * Fault model: a machine dies (its connections are reset, new ones are refused), vanishes (it never
 * answers again), or is paused and resumed. Links between machines are cut and healed; data sent
 * while a link is cut arrives after it is healed, in order. All segments on one link take the same
 * time, so only the machines behave randomly.
 */
import type { InboundLink } from '../../src/cluster/bus-link.ts'
import type { Message } from '../../src/cluster/bus-message.ts'
import type { RedisConnection } from '../../src/connection.ts'
import type { RedisEnvironment } from '../../src/environment.ts'
import type { RedisServer } from '../../src/server.ts'
import type { Commands, Repeatable, Wire, WireEnd } from '../../src/wires.ts'

export class Lab {
  nowUs = 1_700_000_000_000_000
  readonly machines = new Map<string, LabMachine>()
  readonly unsupported: string[] = []
  /**
   * Future events in order of time. Events of the same time are in the order in which they were
   * planned.
   */
  private readonly events: { readonly atUs: number; readonly run: () => void }[] = []
  private readonly cuts = new Map<string, (() => void)[]>()

  /**
   * `latencyUs` returns the latency of a segment in microseconds, which is constant for each link
   * and direction.
   */
  constructor(private readonly latencyUs: (from: string, to: string) => number = () => 200) {}

  get nowMs(): number {
    return this.nowUs / 1000
  }

  at(delayUs: number, run: () => void): void {
    const atUs = this.nowUs + Math.max(0, delayUs)
    let place = this.events.length
    while (place > 0 && this.events[place - 1]!.atUs > atUs) place--
    this.events.splice(place, 0, { atUs, run })
  }

  /** Advances the time. */
  pass(ms: number): void {
    const untilUs = this.nowUs + ms * 1000
    for (let next = this.events[0]; next !== undefined && next.atUs <= untilUs; next = this.events[0]) {
      this.events.shift()
      this.nowUs = next.atUs
      next.run()
    }
    this.nowUs = untilUs
  }

  /**
   * Advances the time until the condition holds. Returns the duration in milliseconds; throws if
   * the condition does not hold within `withinMs`.
   */
  until(holds: () => boolean, withinMs: number): number {
    const startUs = this.nowUs
    while (!holds()) {
      if (this.nowUs - startUs > withinMs * 1000) throw new Error(`not within ${withinMs} ms: ${holds}`)
      this.pass(1)
    }
    return (this.nowUs - startUs) / 1000
  }

  /** Cuts all links between the two groups, in both directions. */
  cut(ones: readonly LabMachine[], others: readonly LabMachine[]): void {
    for (const one of ones) {
      for (const other of others)
        for (const way of [`${one.host}>${other.host}`, `${other.host}>${one.host}`])
          this.cuts.set(way, this.cuts.get(way) ?? [])
    }
  }

  heal(): void {
    const held = [...this.cuts.values()]
    this.cuts.clear()
    for (const ways of held) for (const run of ways) this.at(1000, run)
  }

  isCut(one: string, other: string): boolean {
    return this.cuts.has(`${one}>${other}`) || this.cuts.has(`${other}>${one}`)
  }

  /** Runs the callback in a turn of the machine `to` after the latency. */
  send(from: string, to: string, run: () => void): void {
    const held = this.cuts.get(`${from}>${to}`)
    const arrive = () => this.machines.get(to)?.inTurn(run)
    if (held !== undefined) held.push(arrive)
    else this.at(this.latencyUs(from, to), arrive)
  }
}

/** One host and its process. */
export class LabMachine implements RedisEnvironment {
  server: RedisServer | null = null
  private offsetUs = 0
  private waiting: (() => void)[] | null = null
  private vanished = false
  private readonly breakAll = new Set<() => void>()
  private drawn: number

  constructor(
    readonly lab: Lab,
    readonly host: string,
    private readonly start: (machine: LabMachine) => RedisServer,
    seed = 0,
  ) {
    this.drawn = [...host].reduce((sum, char) => (sum * 31 + char.charCodeAt(0)) % 65521, 7 + seed)
    lab.machines.set(host, this)
    this.server = start(this)
  }

  // Faults of the machine:

  /** Kills the process with SIGKILL: the kernel resets its connections. */
  die(): void {
    this.server?.shutdown()
    this.server = null
    for (const reset of [...this.breakAll]) reset()
    this.breakAll.clear()
  }

  revive(start: (machine: LabMachine) => RedisServer = this.start): void {
    this.server = start(this)
  }

  /** Disappears without closing connections, as if power or network were lost. */
  vanish(): void {
    this.vanished = true
    this.server?.shutdown()
  }

  pause(): void {
    this.server?.recheckTimers()
    this.waiting ??= []
  }

  resume(): void {
    const waiting = this.waiting ?? []
    this.waiting = null
    for (const run of waiting) run()
  }

  get isAtWork(): boolean {
    return !this.vanished && this.server !== null && this.waiting === null
  }

  inTurn(run: () => void): void {
    if (this.vanished) return
    if (this.waiting === null) run()
    else this.waiting.push(run)
  }

  // The environment of the server on this machine:

  nowUs(): number {
    return this.lab.nowUs + this.offsetUs
  }

  monotonicUs(): number {
    return this.lab.nowUs
  }

  random(n: number): number {
    this.drawn = (this.drawn * 48271) % 2147483647
    return this.drawn % n
  }

  schedule(delayUs: number, callback: () => void): () => void {
    let wanted = true
    this.lab.at(delayUs, () => this.inTurn(() => wanted && callback()))
    return () => {
      wanted = false
    }
  }

  unsupported(what: string): void {
    this.lab.unsupported.push(what)
  }

  readonly wires = { dial: (host: string, port: number, end: WireEnd) => this.dial(host, port, end) }

  /** Offset of the machine's clock from the lab's time, in microseconds. */
  get clockOffsetUs(): number {
    return this.offsetUs
  }

  set clockOffsetUs(us: number) {
    this.server?.recheckTimers()
    this.offsetUs = us
  }

  private dial(host: string, port: number, end: WireEnd): Wire {
    return new LabWire(this, host, port, end)
  }

  /** Registers a callback for the death of this machine; returns the function that removes it. */
  onDeath(reset: () => void): () => void {
    this.breakAll.add(reset)
    return () => this.breakAll.delete(reset)
  }
}

let ports = 40_000

/** A connection between two machines. Segments remain in order, because all take the same time. */
class LabWire implements Wire {
  private state: 'dialling' | 'open' | 'closed' = 'dialling'
  private accepted: ReturnType<RedisServer['acceptAt']> = null
  private unsent: (string | Message | Commands)[] = []
  /** Number of segments in transit. */
  private underway = 0
  private readonly local: string

  constructor(
    private readonly from: LabMachine,
    private readonly to: string,
    port: number,
    private readonly end: WireEnd,
  ) {
    this.local = `${from.host}:${++ports}`
    from.onDeath(() => {
      this.state = 'closed'
      this.there(() => this.accepted?.close())
    })
    if (from.lab.machines.has(to)) this.there((machine) => this.arrive(machine, port))
  }

  write(bytes: string): void {
    this.put(bytes)
  }

  send(content: Message | Commands): void {
    this.put(content)
  }

  private put(content: string | Message | Commands): void {
    if (this.state === 'dialling') this.unsent.push(content)
    else if (this.state === 'open') this.there(() => this.take(content))
  }

  private take(content: string | Message | Commands): void {
    const { accepted } = this
    if (accepted === null) return
    if ('hear' in accepted) return accepted.hear(content as Message)
    if (typeof content === 'string') return accepted.receive(content)
    accepted.take((content as Commands).commands)
    accepted.receive('')
  }

  far(): RedisConnection | InboundLink | null {
    return this.isClear && this.from.lab.machines.get(this.to)!.isAtWork ? this.accepted : null
  }

  private get isClear(): boolean {
    const { from, to } = this
    return this.state === 'open' && this.underway === 0 && !from.lab.isCut(from.host, to)
  }

  private repeat(content: Repeatable): boolean {
    return this.isClear && this.from.isAtWork && this.end.repeated?.(content) === true
  }

  close(): void {
    this.state = 'closed'
    this.there(() => this.accepted?.close())
  }

  private arrive(machine: LabMachine, port: number): void {
    const { server } = machine
    this.accepted =
      server?.acceptAt(port, {
        address: this.local,
        write: (bytes) => this.here(() => this.state === 'open' && this.end.received(bytes)),
        send: (message) => this.here(() => this.state === 'open' && this.end.heard?.(message)),
        report: (reply) => this.here(() => this.state === 'open' && this.end.heard?.({ reply })),
        repeat: (content) => this.repeat(content),
        close: () => this.here(() => this.fail('end')),
      }) ?? null
    if (this.accepted === null) return this.here(() => this.fail('ECONNREFUSED'))
    machine.onDeath(() => {
      this.accepted = null
      this.here(() => this.fail('ECONNRESET'))
    })
    this.here(() => {
      if (this.state !== 'dialling') return
      this.state = 'open'
      this.end.opened(this.local)
      for (const content of this.unsent.splice(0)) this.put(content)
    })
  }

  private fail(why: 'end' | 'ECONNREFUSED' | 'ECONNRESET'): void {
    if (this.state === 'closed') return
    this.state = 'closed'
    this.end.closed(why)
  }

  private there(run: (machine: LabMachine) => void): void {
    this.underway++
    this.from.lab.send(this.from.host, this.to, () => {
      this.underway--
      run(this.from.lab.machines.get(this.to)!)
    })
  }

  private here(run: () => void): void {
    this.underway++
    this.from.lab.send(this.to, this.from.host, () => {
      this.underway--
      run()
    })
  }
}
