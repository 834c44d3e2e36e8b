/**
 * Traces one run without changing it. Servers and clocks are read between events and after each
 * command of a consumer, so that a change of a key is attributed to the command that made it.
 */

import type { KeyDescription, Keyspace } from 'redis-sim'
import { ScriptWatch } from 'redis-sim'
import type { MachineClock } from 'virtual-node/kernel'
import type { ClientSide } from 'virtual-node/network'
import type { ClockChange, CommandTrace, KeyChange, RoleChange, ServerRole } from '../../contract/results/run-trace.ts'
import { CommandLabels } from '../../run/command-labels.ts'
import { clientParser, commandsIn } from './commands-in.ts'
import type { Observer } from './observer.ts'
import { textOf } from './text-of.ts'
import { TracedScripts } from './traced-scripts.ts'
import { type TracedSentinel, TracedSentinels } from './traced-sentinels.ts'

/** The interface of a server that tracing needs. */
export interface TracedServer {
  readonly name: string
  readonly up: boolean
  readonly server: { readonly keyspace: Keyspace; readonly replication: { readonly link: object | null } }
  readonly address: { readonly host: string }
  scriptWatch: ScriptWatch | undefined
  nowUs(): number
}

export interface TracerSetting {
  readonly epochMs: number
  /**
   * `nowUs`: microseconds since the run began. `worldUs`: microseconds on the world's own clock.
   */
  readonly nowUs: () => number
  readonly worldUs: () => number
  /** The number of events in the history. */
  readonly events: () => number
  /** False while the deployment comes to rest, which is not traced. */
  readonly hasBegun: () => boolean
  /** Redis servers; empty if the layer does not use Redis. */
  readonly servers: readonly TracedServer[]
  readonly sentinels: readonly TracedSentinel[]
  /** Names of the stores other than Redis. Their data are not traced. */
  readonly stores: readonly string[]
  readonly hasSeveralPrimaries: boolean
  /** Names of consumer slots. */
  readonly consumers: readonly string[]
  /** The clock of each consumer slot and of each server, by name. */
  readonly clocks: ReadonlyMap<string, MachineClock>
}

type Writable<T> = { -readonly [K in keyof T]: T[K] }
type InFlightCommand = Writable<CommandTrace>

/** The last seen state of a server. */
interface Seen {
  keyspace: Keyspace | null
  changes: number
  role: ServerRole | null
  readonly keys: Map<string, string>
}

export class Tracer implements Observer {
  readonly #commands: InFlightCommand[] = []
  readonly #scripts = new TracedScripts()
  readonly #sentinels: TracedSentinels
  readonly #keys: KeyChange[] = []
  readonly #roles: RoleChange[] = []
  readonly #clocks: ClockChange[] = []
  /** The last change of each machine. */
  readonly #clock = new Map<string, ClockChange>()
  readonly #seen = new Map<string, Seen>()
  /**
   * By connection, in order: commands that were not executed yet, and replies that have not arrived
   * yet.
   */
  readonly #sent = new Map<ClientSide, InFlightCommand[]>()
  readonly #executed = new Map<ClientSide, InFlightCommand[]>()
  /** A separate instance, because the labels that a run knows are part of the run. */
  readonly #labels = new CommandLabels()

  constructor(private readonly setting: TracerSetting) {
    for (const server of setting.servers) server.scriptWatch = new ScriptWatch()
    this.#sentinels = new TracedSentinels(setting.sentinels, setting.servers, () => this.#moment())
  }

  /**
   * If the bytes contain only the beginning of a command, the command is traced when it is
   * executed.
   */
  leaves(connection: ClientSide, process: string, node: string, bytes: string): void {
    const labels = commandsIn(clientParser(), bytes).map((words) => this.#labels.of(words))
    this.asks(connection, process, node, labels)
  }

  asks(connection: ClientSide, process: string, node: string, labels: readonly (string | null)[]): void {
    const inFlight = this.#sent.get(connection) ?? []
    this.#sent.set(connection, inFlight)
    for (const label of labels) if (label !== null) inFlight.push(this.#begin(process, node, label))
  }

  /** Commands that were sent before this command were refused. */
  comesTo(connection: ClientSide, label: string): void {
    const sent = this.#sent.get(connection) ?? []
    const at = sent.findIndex((command) => command.label === label)
    for (const command of sent.splice(0, Math.max(0, at))) command.refused = true
  }

  executes(connection: ClientSide, process: string, node: string, label: string): void {
    const known = this.#sent.get(connection)?.shift()
    const command = known ?? this.#begin(process, node, label)
    command.label = label
    command.executedUs = this.setting.nowUs()
    command.seq = this.setting.events() - 1
    const watch = this.setting.servers.find(({ name }) => name === node)?.scriptWatch
    const ran = watch?.take().map((script) => this.#scripts.add(script)) ?? []
    if (ran.length > 0) command.ran = ran
    const waiting = this.#executed.get(connection)
    if (waiting === undefined) this.#executed.set(connection, [command])
    else waiting.push(command)
    this.look(this.#commands.indexOf(command))
  }

  replies(connection: ClientSide): void {
    const command = this.#executed.get(connection)?.shift()
    if (command !== undefined) command.repliedUs = this.setting.nowUs()
  }

  loses(connection: ClientSide, what: 'request' | 'reply'): void {
    const waiting = what === 'request' ? this.#sent : this.#executed
    for (const command of waiting.get(connection) ?? []) command.lostUs = this.setting.nowUs()
    waiting.delete(connection)
  }

  sentinelSays(sentinel: string, type: string, message: string): void {
    const moment = this.#moment()
    if (moment !== null) this.#sentinels.says(sentinel, type, message, moment)
  }

  #moment(): { atUs: number; seq: number } | null {
    return this.setting.hasBegun() ? { atUs: this.setting.nowUs(), seq: this.setting.events() - 1 } : null
  }

  /** `by`: the index of the command that was just executed. */
  look(by?: number): void {
    if (!this.setting.hasBegun()) return
    for (const server of this.setting.servers) {
      // A script that no consumer's command ran is attributed to no consumer.
      server.scriptWatch?.take()
      this.#lookAt(server, by)
    }
    for (const [name, clock] of this.setting.clocks) this.#lookAtClock(name, clock)
  }

  found() {
    const { epochMs, servers, stores, consumers, hasSeveralPrimaries, nowUs, worldUs } = this.setting
    const runTrace = {
      beganMs: epochMs + (worldUs() - nowUs()) / 1000,
      consumers,
      servers: servers.map(({ name }) => name),
      stores,
      hasSeveralPrimaries,
      sentinels: this.setting.sentinels.map(({ name }) => name),
      words: this.#sentinels.words,
      questions: this.#sentinels.questions,
      commands: this.#commands,
      scripts: this.#scripts.all,
      keys: this.#keys,
      roles: this.#roles,
      clocks: this.#clocks,
    }
    return { runTrace }
  }

  #begin(process: string, node: string, label: string): InFlightCommand {
    const sentUs = this.setting.nowUs()
    const command = { process, node, label, sentUs, executedUs: null, seq: null, repliedUs: null, lostUs: null }
    this.#commands.push(command)
    return command
  }

  #lookAt(node: TracedServer, by: number | undefined): void {
    const { keyspace, replication } = node.server
    const seen = this.#seenOf(node.name)
    const role = !node.up ? 'down' : replication.link === null ? 'primary' : 'replica'
    const at = { atUs: this.setting.nowUs(), seq: this.setting.events() - 1, node: node.name }
    if (role !== seen.role) this.#roles.push({ ...at, role })
    seen.role = role
    const { changes } = keyspace.state
    if (keyspace === seen.keyspace && changes === seen.changes) return
    seen.keyspace = keyspace
    seen.changes = changes
    const now = keyspace.describe(Math.floor(node.nowUs() / 1000))
    const cause = by === undefined ? {} : { by }
    const there = new Set<string>()
    for (const one of now) {
      const key = nameOf(one)
      const value = valueText(one.value)
      const expireAtMs = one.expireAtMs === null ? null : Number(one.expireAtMs)
      const print = `${expireAtMs} ${value}`
      there.add(key)
      if (seen.keys.get(key) === print) continue
      seen.keys.set(key, print)
      this.#keys.push({ ...at, key, value, expireAtMs, ...cause })
    }
    for (const key of seen.keys.keys()) {
      if (there.has(key)) continue
      seen.keys.delete(key)
      this.#keys.push({ ...at, key, value: null, expireAtMs: null, ...cause })
    }
  }

  #seenOf(name: string): Seen {
    let seen = this.#seen.get(name)
    if (seen === undefined) this.#seen.set(name, (seen = { keyspace: null, changes: -1, role: null, keys: new Map() }))
    return seen
  }

  #lookAtClock(machine: string, clock: MachineClock): void {
    const atUs = this.setting.nowUs()
    const aheadUs = clock.wallUs() - this.setting.epochMs * 1000 - this.setting.worldUs()
    const { pace } = clock
    const known = this.#clock.get(machine)
    if (known !== undefined && known.pace === pace && Math.abs(aheadBy(known, atUs) - aheadUs) <= 1) return
    const change = { atUs, machine, aheadUs, pace }
    this.#clock.set(machine, change)
    this.#clocks.push(change)
  }
}

/** How far a clock is ahead at `nowUs`, if it has not changed since. */
const aheadBy = ({ atUs, aheadUs, pace }: ClockChange, nowUs: number): number =>
  aheadUs + ((nowUs - atUs) * (pace - 1_000_000)) / 1_000_000

const nameOf = ({ database, key }: KeyDescription): string =>
  database === 0 ? textOf(key) : `${textOf(key)} (database ${database})`

function valueText(value: KeyDescription['value']): string {
  if (typeof value === 'string') return shortened(textOf(value))
  const items = value.map((item) =>
    typeof item === 'string' ? textOf(item) : `${textOf(item[0])}: ${textOf(item[1])}`,
  )
  return shortened(items.join(', '))
}

const shortened = (text: string): string => (text.length <= 160 ? text : `${text.slice(0, 159)}…`)
