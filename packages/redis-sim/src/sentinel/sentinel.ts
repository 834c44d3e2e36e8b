/**
 * A simulated Redis 7.0.15 Sentinel: a server with its own commands, and a state machine that
 * watches servers over wires. Semantics, times and texts are those of sentinel.c of Redis 7.0.
 *
 * Fault model: the Sentinel injects no faults. The owner of the network decides when its bytes
 * arrive; the owner of its clock decides when its timer fires (a pause delays both). The Sentinel
 * dies by `shutdown`, and a new Sentinel starts from its saved state. Not simulated: notification
 * and client-reconfig scripts, renamed commands, TLS, SIMULATE-FAILURE (use `shutdown`), name
 * resolution (a name is an address), and a configuration file that cannot be written. Instances are
 * processed in the order in which they became known; a real Sentinel uses the random order of a
 * hash table.
 */
import type { RedisConfig } from '../config.ts'
import type { RedisEnvironment } from '../environment.ts'
import { RedisServer } from '../server.ts'
import type { Wires } from '../wires.ts'
import type { Address } from './address.ts'
import type { Channel, ChannelOwner } from './channel.ts'
import { findSentinelCommand } from './commands/table.ts'
import { defaultPeriods, defaultSettings, type Periods, type SentinelConfig, type Settings } from './config.ts'
import { readMonitor, writeConfig } from './config-file.ts'
import { describeInstance } from './describe.ts'
import { Desync } from './desync.ts'
import { dueMs } from './due.ts'
import { switchToPromoted } from './failover.ts'
import { handle } from './handle.ts'
import type { Primary, Watched } from './instance.ts'
import { currentAddress } from './instances.ts'
import { Ticker } from './ticker.ts'

export class Sentinel extends RedisServer implements ChannelOwner {
  /** 40 hex digits. Unlike `runId`, the id survives a restart. */
  readonly id: string
  readonly wires: Wires
  readonly primaries = new Map<string, Primary>()
  readonly settings: Settings
  readonly periods: Periods
  /** The periods from the configuration. Changes by SENTINEL DEBUG are lost at a restart. */
  readonly givenPeriods: Partial<Periods>
  epoch: number
  /**
   * Start of TILT mode, in which the Sentinel does not trust its clock and does not act; null
   * outside of TILT mode.
   */
  tiltSinceMs: number | null = null
  /** The last written configuration file. */
  saved: SentinelConfig
  private lastTickMs: number
  private readonly ticker: Ticker
  private readonly unflushed: Channel[] = []
  private stopped = false

  constructor(
    environment: RedisEnvironment,
    config: SentinelConfig,
    /** Called with every published event. */
    private readonly reported: (type: string, message: string) => void = () => {},
  ) {
    const { port = 26379, requirepass = '' } = config
    super(environment, { port, requirepass, databases: 1 } satisfies Partial<RedisConfig>)
    if (environment.wires === undefined) throw new Error('a Sentinel needs wires')
    this.wires = environment.wires
    this.settings = { ...defaultSettings }
    for (const name of Object.keys(defaultSettings) as (keyof Settings)[]) {
      if (config[name] !== undefined) Object.assign(this.settings, { [name]: config[name] })
    }
    this.givenPeriods = { ...config.periods }
    this.periods = { ...defaultPeriods, ...config.periods }
    this.epoch = config.currentEpoch ?? 0
    this.id = config.myId ?? this.runId
    if (!/^[0-9a-f]{40}$/.test(this.id)) throw new Error('myId: a Sentinel id is 40 hex digits')
    const desync = Desync.of(this.id, environment.random(65536))
    const after = (delayUs: number, callback: () => void) => this.after(delayUs, callback, true)
    this.ticker = new Ticker(
      environment,
      after,
      desync,
      () => this.tick(),
      () => dueMs(this),
    )
    this.lastTickMs = this.startedMs
    for (const monitor of config.monitors) readMonitor(this, monitor)
    this.saved = writeConfig(this)
    for (const primary of this.primaries.values()) this.event('+monitor', primary, ` quorum ${primary.quorum}`)
    this.ticker.start(1000)
  }

  override findCommand(name: string) {
    return findSentinelCommand(name)
  }

  /** The time of this turn by the Sentinel's clock. */
  get nowMs(): number {
    return this.keyspace.state.nowMs
  }

  /** The address with which the Sentinel answers a query for a primary. */
  primary(name: string): Address | null {
    const primary = this.primaries.get(name)
    return primary === undefined ? null : currentAddress(primary)
  }

  /** Called when the process ends: stops all activity and closes the wires. */
  override shutdown(): void {
    this.stopped = true
    super.shutdown()
    for (const primary of this.primaries.values()) primary.release()
  }

  /** Publishes an event about an instance. */
  event(type: string, instance: Watched, more = ''): void {
    this.announce(type, `${describeInstance(instance)}${more}`)
  }

  /** Publishes an event with this text. */
  announce(type: string, message: string): void {
    this.reported(type, message)
    this.subscriptions.publish('channels', type, message)
  }

  flushConfig(): void {
    this.saved = writeConfig(this)
  }

  // Each message and each timer of the Sentinel runs in a turn.

  override recheckTimers(): void {
    this.ticker.recheckTimers()
  }

  turn(work: () => void): void {
    if (this.stopped) return
    this.readClock()
    work()
    this.ticker.look()
    for (let channel = this.unflushed.pop(); channel !== undefined; channel = this.unflushed.pop()) channel.flush()
  }

  wrote(channel: Channel): void {
    this.unflushed.push(channel)
  }

  /**
   * Source: sentinelTimer and serverCron of Redis 7.0. The random interval keeps Sentinels from
   * requesting votes at the same time.
   */
  private tick(): void {
    this.turn(() => {
      this.checkClock()
      for (const primary of [...this.primaries.values()]) {
        handle(this, primary)
        for (const other of primary.others()) handle(this, other)
      }
      const done = [...this.primaries.values()].filter(({ failoverState }) => failoverState === 'update_config')
      if (done.length > 0) switchToPromoted(this, done.at(-1)!)
    })
  }

  /**
   * Enters TILT mode if the clock jumped or the process was frozen, because all other instances
   * would seem dead.
   */
  private checkClock(): void {
    const passedMs = this.nowMs - (this.lastTickMs + this.ticker.skippedMs)
    if (passedMs < 0 || passedMs > this.periods.tiltTriggerMs) {
      this.tiltSinceMs = this.nowMs
      this.announce('+tilt', '#tilt mode entered')
    }
    this.lastTickMs = this.nowMs
  }
}
