/**
 * Films one run: it only looks, so that a filmed run is the run that it was. Servers and clocks are looked at between
 * events, and after each command of a consumer, so that a change of a key is put down to the command that made it.
 */

import type { KeyDescription, Keyspace } from 'redis-sim'
import { ScriptWatch } from 'redis-sim'
import type { MachineClock } from 'virtual-node/kernel'
import type { ClientSide } from 'virtual-node/network'
import type { ClockChange, FilmedCommand, KeyChange, RoleChange, ServerRole } from '../../contract/results/film.ts'
import { CommandLabels } from '../../run/command-labels.ts'
import { clientParser, commandsIn } from './commands-in.ts'
import { FilmedScripts } from './filmed-scripts.ts'
import { type FilmedSentinel, FilmedSentinels } from './filmed-sentinels.ts'
import type { Observer } from './observer.ts'
import { textOf } from './text-of.ts'

/** A server, as far as it is filmed. */
export interface FilmedServer {
  readonly name: string
  readonly up: boolean
  readonly server: { readonly keyspace: Keyspace; readonly replication: { readonly link: object | null } }
  readonly address: { readonly host: string }
  scriptWatch: ScriptWatch | undefined
  nowUs(): number
}

export interface Scene {
  readonly epochMs: number
  /** Microseconds since the run began, and on the world's own clock. */
  readonly nowUs: () => number
  readonly worldUs: () => number
  /** The number of events in the history. */
  readonly events: () => number
  /** What happens before, while the deployment comes to rest, is not filmed. */
  readonly hasBegun: () => boolean
  /** Of Redis; none where the layer has none. */
  readonly servers: readonly FilmedServer[]
  readonly sentinels: readonly FilmedSentinel[]
  /** Names of the stores beside Redis. What they hold is not filmed. */
  readonly stores: readonly string[]
  readonly isCluster: boolean
  /** Names of consumer slots. */
  readonly consumers: readonly string[]
  /** By machine: consumer slots and servers. */
  readonly clocks: ReadonlyMap<string, MachineClock>
}

type Writable<T> = { -readonly [K in keyof T]: T[K] }
type Way = Writable<FilmedCommand>

/** What was last seen of a server. */
interface Seen {
  keyspace: Keyspace | null
  changes: number
  role: ServerRole | null
  readonly keys: Map<string, string>
}

export class Camera implements Observer {
  readonly #commands: Way[] = []
  readonly #scripts = new FilmedScripts()
  readonly #sentinels: FilmedSentinels
  readonly #keys: KeyChange[] = []
  readonly #roles: RoleChange[] = []
  readonly #clocks: ClockChange[] = []
  /** The last change of each machine. */
  readonly #clock = new Map<string, ClockChange>()
  readonly #seen = new Map<string, Seen>()
  /** By connection, in order: commands that were not executed yet, and replies that did not arrive yet. */
  readonly #sent = new Map<ClientSide, Way[]>()
  readonly #executed = new Map<ClientSide, Way[]>()
  /** Of its own: what a run's labels know is part of the run. */
  readonly #labels = new CommandLabels()

  constructor(private readonly scene: Scene) {
    for (const server of scene.servers) server.scriptWatch = new ScriptWatch()
    this.#sentinels = new FilmedSentinels(scene.sentinels, scene.servers, () => this.#moment())
  }

  /** A command that the bytes begin only is not seen before it is executed. */
  leaves(connection: ClientSide, process: string, node: string, bytes: string): void {
    const labels = commandsIn(clientParser(), bytes).map((words) => this.#labels.of(words))
    this.asks(connection, process, node, labels)
  }

  asks(connection: ClientSide, process: string, node: string, labels: readonly (string | null)[]): void {
    const ways = this.#sent.get(connection) ?? []
    this.#sent.set(connection, ways)
    for (const label of labels) if (label !== null) ways.push(this.#way(process, node, label))
  }

  /** Those that left before it were refused. */
  comesTo(connection: ClientSide, label: string): void {
    const sent = this.#sent.get(connection) ?? []
    const at = sent.findIndex((way) => way.label === label)
    for (const way of sent.splice(0, Math.max(0, at))) way.refused = true
  }

  executes(connection: ClientSide, process: string, node: string, label: string): void {
    const known = this.#sent.get(connection)?.shift()
    const way = known ?? this.#way(process, node, label)
    way.label = label
    way.executedUs = this.scene.nowUs()
    way.seq = this.scene.events() - 1
    const watch = this.scene.servers.find(({ name }) => name === node)?.scriptWatch
    const ran = watch?.take().map((script) => this.#scripts.add(script)) ?? []
    if (ran.length > 0) way.ran = ran
    const waiting = this.#executed.get(connection)
    if (waiting === undefined) this.#executed.set(connection, [way])
    else waiting.push(way)
    this.look(this.#commands.indexOf(way))
  }

  replies(connection: ClientSide): void {
    const way = this.#executed.get(connection)?.shift()
    if (way !== undefined) way.repliedUs = this.scene.nowUs()
  }

  loses(connection: ClientSide, what: 'request' | 'reply'): void {
    const waiting = what === 'request' ? this.#sent : this.#executed
    for (const way of waiting.get(connection) ?? []) way.lostUs = this.scene.nowUs()
    waiting.delete(connection)
  }

  sentinelSays(sentinel: string, type: string, message: string): void {
    const moment = this.#moment()
    if (moment !== null) this.#sentinels.says(sentinel, type, message, moment)
  }

  #moment(): { atUs: number; seq: number } | null {
    return this.scene.hasBegun() ? { atUs: this.scene.nowUs(), seq: this.scene.events() - 1 } : null
  }

  /** `by`: the index of the command that was executed just now. */
  look(by?: number): void {
    if (!this.scene.hasBegun()) return
    for (const server of this.scene.servers) {
      // What no consumer's command ran is nobody's.
      server.scriptWatch?.take()
      this.#lookAt(server, by)
    }
    for (const [name, clock] of this.scene.clocks) this.#lookAtClock(name, clock)
  }

  found() {
    const { epochMs, servers, stores, consumers, isCluster, nowUs, worldUs } = this.scene
    const film = {
      beganMs: epochMs + (worldUs() - nowUs()) / 1000,
      consumers,
      servers: servers.map(({ name }) => name),
      stores,
      isCluster,
      sentinels: this.scene.sentinels.map(({ name }) => name),
      words: this.#sentinels.words,
      questions: this.#sentinels.questions,
      commands: this.#commands,
      scripts: this.#scripts.all,
      keys: this.#keys,
      roles: this.#roles,
      clocks: this.#clocks,
    }
    return { film }
  }

  #way(process: string, node: string, label: string): Way {
    const sentUs = this.scene.nowUs()
    const way = { process, node, label, sentUs, executedUs: null, seq: null, repliedUs: null, lostUs: null }
    this.#commands.push(way)
    return way
  }

  #lookAt(node: FilmedServer, by: number | undefined): void {
    const { keyspace, replication } = node.server
    const seen = this.#seenOf(node.name)
    const role = !node.up ? 'down' : replication.link === null ? 'primary' : 'replica'
    const at = { atUs: this.scene.nowUs(), seq: this.scene.events() - 1, node: node.name }
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
    const atUs = this.scene.nowUs()
    const aheadUs = clock.wallUs() - this.scene.epochMs * 1000 - this.scene.worldUs()
    const { pace } = clock
    const known = this.#clock.get(machine)
    if (known !== undefined && known.pace === pace && Math.abs(aheadBy(known, atUs) - aheadUs) <= 1) return
    const change = { atUs, machine, aheadUs, pace }
    this.#clock.set(machine, change)
    this.#clocks.push(change)
  }
}

/** How far a clock is ahead by then, if nothing has changed since. */
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
