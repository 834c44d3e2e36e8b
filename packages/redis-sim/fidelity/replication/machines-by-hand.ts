import type { RedisConfig } from '../../src/config.ts'
import type { RedisEnvironment } from '../../src/environment.ts'
import { RedisServer, type ServerStart } from '../../src/server.ts'
import type { Wire, WireEnd, Wires } from '../../src/wires.ts'
import { ClientByHand } from '../../test/server-by-hand.ts'

const latencyUs = 100

/**
 * One connection between two machines. Bytes arrive in order, after the latency, unless the
 * connection was cut.
 */
class WireByHand implements Wire {
  private connection: ReturnType<RedisServer['connect']> | null = null
  private early = ''
  private over = false

  constructor(
    private readonly machines: MachinesByHand,
    readonly from: string,
    readonly to: string,
    private readonly end: WireEnd,
  ) {
    this.later(this.to, () => this.open())
  }

  private open(): void {
    const server = this.machines.reachable(this.from, this.to) ? this.machines.servers.get(this.to) : undefined
    if (server === undefined) return this.fail('ECONNREFUSED')
    this.connection = server.connect({
      address: `10.0.0.${this.machines.numberOf(this.from)}:50000`,
      write: (bytes) => this.later(this.from, () => this.end.received(bytes)),
      close: () => this.later(this.from, () => this.fail('end')),
    })
    this.end.opened(`10.0.0.${this.machines.numberOf(this.from)}:50000`)
    this.connection.receive(this.early)
  }

  write(bytes: string): void {
    if (this.connection === null) this.early += bytes
    else this.later(this.to, () => this.connection!.receive(bytes))
  }

  close(): void {
    if (this.over) return
    this.machines.after(latencyUs, () => this.connection?.close())
    this.over = true
    this.machines.wires.delete(this)
  }

  /** Reports the broken connection to both sides. */
  cut(): void {
    this.connection?.close()
    this.fail('ECONNRESET')
  }

  private fail(why: 'end' | 'ECONNREFUSED' | 'ECONNRESET'): void {
    if (this.over) return
    this.over = true
    this.machines.wires.delete(this)
    this.end.closed(why)
  }

  /**
   * Runs the callback after the latency. If the machine is frozen at that time, the callback runs
   * when the machine is thawed.
   */
  private later(machine: string, what: () => void): void {
    this.machines.after(latencyUs, () => {
      this.machines.awake(machine, () => {
        if (!this.over) what()
      })
    })
  }
}

/**
 * Several servers on one clock, which a test advances, and a network whose links a test can cut.
 */
export class MachinesByHand {
  nowUs = 1_700_000_000_000_000
  readonly unsupported: string[] = []
  readonly servers = new Map<string, RedisServer>()
  readonly wires = new Set<WireByHand>()
  private readonly names: string[] = []
  private readonly partitioned = new Set<string>()
  private readonly frozen = new Map<string, (() => void)[]>()
  private timers: { atUs: number; callback: () => void }[] = []
  private drawn = 0

  /** Starts or restarts a server on the machine with that name. */
  start(name: string, config: Partial<RedisConfig> = {}, start: ServerStart = {}): RedisServer {
    if (!this.names.includes(name)) this.names.push(name)
    const server = new RedisServer(this.environment(name), { replDisklessSyncDelay: 0, ...config }, start)
    this.servers.set(name, server)
    return server
  }

  /** Kills the process on the machine. */
  crash(name: string): void {
    this.servers.get(name)!.shutdown()
    this.servers.delete(name)
    for (const wire of [...this.wires]) {
      if (wire.from === name) wire.close()
      else if (wire.to === name) wire.cut()
    }
  }

  client(name: string): ClientByHand {
    return new ClientByHand(this.servers.get(name)!)
  }

  /** Runs one command on a separate connection. */
  run(name: string, text: string): string {
    return this.client(name).run(text)
  }

  info(name: string): Record<string, string> {
    const lines = this.run(name, 'INFO replication').split('\r\n')
    return Object.fromEntries(
      lines.filter((line) => line.includes(':')).map((line) => line.split(/:(.*)/s) as [string, string]),
    )
  }

  /** Closes the connections between the two machines and refuses new ones. */
  partition(a: string, b: string): void {
    this.partitioned.add(`${a} ${b}`).add(`${b} ${a}`)
    for (const wire of [...this.wires]) if (this.partitioned.has(`${wire.from} ${wire.to}`)) wire.cut()
  }

  /** Stops the process without ending it. */
  freeze(name: string): void {
    this.frozen.set(name, [])
  }

  thaw(name: string): void {
    const missed = this.frozen.get(name)!
    this.frozen.delete(name)
    for (const what of missed) what()
  }

  awake(name: string, what: () => void): void {
    const missed = this.frozen.get(name)
    if (missed === undefined) what()
    else missed.push(what)
  }

  heal(): void {
    this.partitioned.clear()
  }

  reachable(from: string, to: string): boolean {
    return !this.partitioned.has(`${from} ${to}`)
  }

  numberOf(name: string): number {
    return this.names.indexOf(name) + 1
  }

  after(delayUs: number, callback: () => void): () => void {
    const timer = { atUs: this.nowUs + delayUs, callback }
    this.timers.push(timer)
    return () => {
      this.timers = this.timers.filter((other) => other !== timer)
    }
  }

  pass(ms: number): void {
    const untilUs = this.nowUs + ms * 1000
    for (;;) {
      let due: { atUs: number; callback: () => void } | undefined
      for (const timer of this.timers)
        if (timer.atUs <= untilUs && (due === undefined || timer.atUs < due.atUs)) due = timer
      if (due === undefined) break
      this.timers.splice(this.timers.indexOf(due), 1)
      // A test may have moved the clock past the due time.
      this.nowUs = Math.max(this.nowUs, due.atUs)
      due.callback()
    }
    this.nowUs = Math.max(this.nowUs, untilUs)
  }

  private environment(name: string): RedisEnvironment {
    const wires: Wires = {
      dial: (host, _port, end) => {
        const wire = new WireByHand(this, name, host, end)
        this.wires.add(wire)
        return wire
      },
    }
    return {
      nowUs: () => this.nowUs,
      random: (n) => this.drawn++ % n,
      schedule: (delayUs, callback) => {
        let wanted = true
        const cancel = this.after(delayUs, () => this.awake(name, () => wanted && callback()))
        return () => {
          wanted = false
          cancel()
        }
      },
      unsupported: (what) => this.unsupported.push(what),
      wires,
    }
  }
}
