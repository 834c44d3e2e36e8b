import type { StoreTrouble } from '../../run/actions.ts'
import type { Decision } from '../../run/boundary-event.ts'
import type { CommandLabels } from '../../run/command-labels.ts'
import type { MachineClock } from '../kernel/machine-clock.ts'
import { ErrorReply, QUEUED, type Reply } from '../lua/reply.ts'
import type { ClientSide, Listener } from '../network/client-side.ts'
import type { Connection, Tap } from '../network/connection.ts'
import type { NodesFile } from '../redis/cluster/nodes-file.ts'
import type { RedisConfig } from '../redis/config.ts'
import type { DurableImage } from '../redis/persistence/image.ts'
import { encodeCommand } from '../redis/resp/encode-command.ts'
import { RedisServer } from '../redis/server.ts'
import type { VirtualProcess } from '../runtime/process.ts'
import { AcknowledgedKeys } from './acknowledged-keys.ts'
import { keysWritten } from './lost-keys.ts'
import { Machine, type Place } from './machine.ts'
import { ServedBus } from './served-bus.ts'
import type { Strays } from './strays.ts'
import type { TrafficEvent } from './traffic.ts'
import type { World } from './world-state.ts'

/** Who looks after all servers of a deployment. */
export interface Deployed {
  readonly labels: CommandLabels
  readonly strays: Strays
  /** Whether it matters who wrote what: not where there is one server. */
  readonly watched: boolean
  /** It has died, with those keys in memory; what its disk kept is for `restarted` to tell. */
  died(node: RedisNode): void
  restarted(node: RedisNode): void
  /** Another machine had a command executed: by such ways servers change their roles. */
  perhapsChangedRole(node: RedisNode): void
  /** A client's command changed data. */
  wrote(node: RedisNode, keys: readonly string[] | undefined): void
  replaced(node: RedisNode): void
}

/** One Redis server on the simulated network, with a boundary at every step of every command of a consumer. */
export class RedisNode extends Machine implements Tap {
  readonly runs = 'redis'
  server: RedisServer
  readonly acknowledged = new AcknowledgedKeys()
  #evicts = false
  /** The command at hand is answered with an error in place of being executed. */
  #refuses = false
  #operating = false
  #changesBefore = 0
  /** Its disk, since it died. */
  #image: DurableImage | null = null
  readonly #bus = new Set<ServedBus>()

  constructor(
    world: World,
    place: Place,
    clock: MachineClock,
    private readonly deployed: Deployed,
    private readonly config: Partial<RedisConfig>,
    /** Told of what is executed; null where nobody asks. */
    private readonly traffic: TrafficEvent[] | null,
    /** Of a Cluster. */
    nodes?: NodesFile,
  ) {
    super(world, place, clock)
    this.server = new RedisServer(this, config, { nodes })
  }

  get labels(): CommandLabels {
    return this.deployed.labels
  }

  protected override arrived(client: number): void {
    this.traffic?.push({ kind: 'connected', client })
  }

  override forget(connectionId: number, unexecuted: readonly string[] | null): void {
    const connection = this.clients.get(connectionId)?.connection
    const label = unexecuted === null ? null : this.labels.of(unexecuted)
    if (connection?.process && label !== null) this.deployed.strays.lost(connection, connection.process, label)
    super.forget(connectionId, unexecuted)
    this.traffic?.push({ kind: 'closed', client: connectionId })
  }

  /** A replica keeps the file of its last full resync, whatever the deployment's persistence. */
  get hasDisk(): boolean {
    return (this.up ? this.server.durableImage() : this.#image) !== null
  }

  /** Where the other nodes of a Cluster connect to. */
  readonly busListener: Listener = {
    accept: (connection) => {
      const { cluster } = this.server
      if (!this.up || cluster === null) return null
      const served = new ServedBus(this, cluster, connection)
      this.#bus.add(served)
      return served
    },
  }

  busLeft(served: ServedBus): void {
    this.#bus.delete(served)
  }

  // What faults do to it.

  stop(withDisk = false): void {
    this.#harmed('a restart')
    const { server } = this
    this.#image = withDisk ? null : server.durableImage()
    this.die()
    this.deployed.died(this)
    for (const { connection } of this.#bus) connection.break('ECONNRESET')
    this.#bus.clear()
    server.shutdown()
    for (const database of server.keyspace.used()) server.keyspace.flush(database)
  }

  /** The process is started again, with what its disk has kept. */
  start(): void {
    this.up = true
    // What troubles it (a neighbour that eats the memory, a script that is sent again) goes on.
    const { trouble, savedConfig, cluster } = this.server
    const start = { image: this.#image, nodes: cluster?.saved }
    this.server = new RedisServer(this, { ...this.config, ...savedConfig }, start)
    Object.assign(this.server.trouble, trouble)
    const { loadingUs } = this.server.config
    const told = () => this.deployed.restarted(this)
    // What it has kept is in memory once it has been read.
    if (this.#image === null || loadingUs === 0) told()
    else this.schedule(loadingUs, told)
  }

  flushAll(): void {
    this.#harmed('a flush of all keys')
    const keys = this.server.describeKeys().map(({ key }) => key)
    this.#operate('FLUSHALL')
    this.#lost('flush', keys)
  }

  /** Somebody with redis-cli: replicas and disks are told, as of any command. */
  #operate(command: string): void {
    const operator = this.server.connect({ write: () => {}, close: () => {} })
    this.#operating = true
    operator.receive(encodeCommand([command]))
    this.#operating = false
    operator.close()
  }

  evict(): boolean {
    if (this.#evicts) return false
    this.#harmed('eviction')
    this.#evicts = true
    this.server.config.maxmemoryPolicy = 'allkeys-random'
    const keys = this.server.evict(() => this.chance.choose('evict', 2) === 1)
    this.#lost('eviction', keys)
    return true
  }

  stopEvicting(): void {
    this.#evicts = false
    this.server.config.maxmemoryPolicy = 'noeviction'
  }

  flushScripts(): void {
    this.#harmed('a flush of all scripts')
    this.server.scripts.flush()
  }

  trouble(what: StoreTrouble, on: boolean): boolean {
    if (this.server.trouble[what] === on) return false
    this.#harmed(troubles[what])
    this.server.trouble[what] = on
    return true
  }

  #harmed(what: string): void {
    this.traffic?.push({ kind: 'fault', what })
  }

  #lost(cause: 'flush' | 'eviction', redisKeys: readonly string[]): void {
    if (redisKeys.length > 0 || cause !== 'eviction')
      this.world.recorder.fact({ type: 'data-lost', node: this.name, cause, redisKeys })
  }

  // What the server tells.

  roleChanged(): void {
    this.deployed.perhapsChangedRole(this)
  }

  dataReplaced(): void {
    this.deployed.replaced(this)
  }

  expired(key: string): void {
    this.world.recorder.fact({ type: 'data-lost', node: this.name, cause: 'expiry', redisKeys: [key] })
  }

  beforeCommand(connectionId: number, args: readonly string[]): 'run' | 'drop' | ErrorReply {
    this.answering = null
    if (this.#operating) return 'run'
    const connection = this.clients.get(connectionId)?.connection
    if (connection === undefined) return 'drop'
    const { process } = connection
    const label = process === null ? null : this.labels.of(args)
    if (process === null || label === null) return this.#runs(connectionId, args)
    this.world.limits.noteCommand(args)
    const passing = this.world.pass(process, 'command-unexecuted', label)
    if (passing.verdict === 'drop') {
      this.deployed.strays.lost(connection, process, label)
      this.#tellLost(process, 'request', label)
      connection.break('ECONNRESET')
    }
    if (!this.clients.has(connectionId)) return 'drop'
    this.deployed.strays.comes(connection, process, label, args)
    this.answering = label
    this.#refuses = passing.error !== null
    if (passing.error === null) return this.#runs(connectionId, args)
    this.#harmed('an error in place of a reply')
    return new ErrorReply(passing.error)
  }

  #runs(client: number, args: readonly string[]): 'run' {
    this.traffic?.push({ kind: 'command', client, atUs: this.nowUs(), args })
    this.#changesBefore = this.server.keyspace.state.changes
    return 'run'
  }

  executed(connectionId: number, args: readonly string[], reply: Reply): void {
    const label = this.answering
    const connection = this.clients.get(connectionId)?.connection
    const process = connection?.process ?? null
    if (connection === undefined) return
    if (process === null) return this.deployed.perhapsChangedRole(this)
    if (this.deployed.watched) this.#noteWrite(connection, args, label)
    if (label === null) return
    this.deployed.strays.executed(connection, label, label === 'MULTI' || reply === QUEUED)
    this.world.traceCommand(process, named(args, label), reply, this.deployed.watched ? this.name : null)
    this.world.schedule(process, label, reply)
    if (this.#refuses) return
    const passing = this.world.pass(process, 'command-executed', label)
    if (passing.verdict !== 'drop') return
    this.#tellLost(process, 'reply', label)
    this.answering = null
    connection.break('ECONNRESET')
  }

  /** Which keys it wrote, if any, and that nobody has been told yet. */
  #noteWrite(connection: ClientSide, args: readonly string[], label: string | null): void {
    const wrote = this.server.keyspace.state.changes > this.#changesBefore
    const keys = wrote ? keysWritten(args) : []
    if (label !== null) this.acknowledged.executed(connection, keys ?? [])
    if (wrote) this.deployed.wrote(this, keys)
  }

  // The client's side of the same connection.

  label(bytes: string): string | null {
    return this.labels.ofBytes(bytes)
  }

  opened(connection: Connection): void {
    this.deployed.strays.opened(connection)
  }

  leaving(connection: Connection, label: string, bytes: string): boolean {
    const { world, deployed } = this
    const leaves = world.guardHarnessCode(() =>
      goesOn(world.pass(connection.process, 'command-unsent', label), connection),
    )
    if (leaves) deployed.strays.leaves(connection, label, bytes)
    return leaves
  }

  arriving(connection: Connection, label: string): boolean {
    if (this.deployed.watched) this.acknowledged.told(connection)
    this.deployed.strays.answered(connection, label)
    return goesOn(this.world.pass(connection.process, 'reply-received', label), connection)
  }

  lost(connection: Connection, what: 'request' | 'reply', label: string): void {
    const { process } = connection
    if (what === 'request') this.deployed.strays.lost(connection, process, label)
    this.#tellLost(process, what, label)
  }

  #tellLost(process: VirtualProcess, what: 'request' | 'reply', command: string): void {
    if (!this.world.isRecorded(process)) return
    const type = what === 'reply' ? 'reply-lost' : 'request-lost'
    this.world.recorder.fact({ type, process: process.name, command })
  }
}

const troubles = {
  outOfMemory: 'a server out of memory',
  loading: 'a server that loads its data',
  busy: 'a server busy with a script',
  connectionsExhausted: 'a server without connections to spare',
}

/** A script by its name in place of its body or its SHA-1. */
function named(args: readonly string[], label: string): readonly string[] {
  return label.startsWith('EVALSHA ') ? [args[0]!, label.slice('EVALSHA '.length), ...args.slice(2)] : args
}

function goesOn(passing: Decision, connection: Connection): boolean {
  return passing.verdict === 'pass' && connection.state === 'open'
}
