import type { Command, DurableImage, RedisConfig, ScriptWatch } from 'redis-sim'
import { keysOf, RedisServer } from 'redis-sim'
import type { NodesFile } from 'redis-sim/cluster'
import type { ErrorReply, Reply } from 'redis-sim/resp'
import { encodeCommand } from 'redis-sim/resp'
import type { MachineClock } from 'virtual-node/kernel'
import type { ClientSide, Listener } from 'virtual-node/network'
import type { StoreDegradation } from '../../run/actions.ts'
import { AcknowledgedKeys } from './acknowledged-keys.ts'
import { CommandTap, type TapContext, type TappedServer } from './command-tap.ts'
import type { ImmortalKeys } from './immortal-keys.ts'
import { Machine } from './machine.ts'
import type { ReachedOffsets } from './reached-offsets.ts'
import { ServedBus } from './served-bus.ts'
import type { MachineAddress } from './server-machine.ts'
import type { StoreSteps } from './store-steps.ts'
import { textOf } from './text-of.ts'
import type { Topology } from './topology.ts'
import type { World } from './world-state.ts'

/** State that the servers of one deployment share. */
export interface RedisDeployment extends TapContext {
  readonly topology: Topology<RedisNode>
  readonly immortalKeys: ImmortalKeys
  readonly reached: ReachedOffsets<RedisNode>
  /** Null if steps are not recorded. */
  readonly steps: StoreSteps | null
}

/** The machine of one Redis server: its process, its disk, and the faults of both. */
export class RedisNode extends Machine implements TappedServer {
  readonly runs = 'redis'
  readonly acknowledged = new AcknowledgedKeys()
  readonly tap: CommandTap
  /** Undefined if the run is not traced. */
  scriptWatch: ScriptWatch | undefined
  server: RedisServer
  #evicts = false
  /** True while the current command is the operator's, which does not pass boundaries. */
  #operating = false
  /** While the process is dead: the content of the disk. */
  #image: DurableImage | null = null
  readonly #bus = new Set<ServedBus>()
  /** The number of changes of its data after the last command. */
  #changesSeen = 0

  constructor(
    world: World,
    address: MachineAddress,
    clock: MachineClock,
    private readonly deployment: RedisDeployment,
    private readonly config: Partial<RedisConfig>,
    /** The node's `nodes.conf`; only in a Cluster. */
    nodes: NodesFile | undefined,
    /** True if the server is down until a fault adds it. It is not counted as a replica. */
    readonly isSpare: boolean,
  ) {
    super(world, address, clock)
    this.tap = new CommandTap(world, this, deployment)
    this.server = new RedisServer(this, config, { nodes })
  }

  get changes(): number {
    return this.server.keyspace.state.changes
  }

  deadlines(): (readonly [key: string, deadlineMs: number])[] | null {
    const used = this.server.keyspace.used()
    if (used.length > 1) return null
    const all = [...(used[0]?.entries ?? [])].map(([key, { expireAtMs }]) => [key, Number(expireAtMs)] as const)
    return all.filter(([, deadlineMs]) => deadlineMs !== -1)
  }

  /** A replica keeps the file of its last full resync, whatever the deployment's persistence. */
  get hasDisk(): boolean {
    return (this.up ? this.server.durableImage() : this.#image) !== null
  }

  // Connections.

  clientOf(connectionId: number): ClientSide | undefined {
    return this.clients.get(connectionId)?.connection
  }

  protected override arrived(client: number): void {
    this.deployment.traffic?.push({ kind: 'connected', client })
  }

  override forget(connectionId: number, unexecuted: readonly string[] | null): void {
    const connection = this.clientOf(connectionId)
    if (connection !== undefined && unexecuted !== null) this.tap.neverExecuted(connection, unexecuted)
    super.forget(connectionId, unexecuted)
    this.deployment.traffic?.push({ kind: 'closed', client: connectionId })
  }

  /** The other nodes of a Cluster connect to this listener. */
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

  // Faults.

  stop(withDisk = false): void {
    this.#disturbed('a restart')
    const { server } = this
    this.deployment.reached.note(this)
    this.deployment.steps?.died(this)
    this.#image = withDisk ? null : server.durableImage()
    this.die()
    this.deployment.topology.died(this)
    for (const { connection } of this.#bus) connection.break('ECONNRESET')
    this.#bus.clear()
    server.shutdown()
    for (const database of server.keyspace.used()) server.keyspace.flush(database)
  }

  /** Restarts the process with the content of its disk. */
  start(): void {
    this.beginLife()
    // Degradations continue, because their causes continue: another program that uses up the
    // memory, a client that resends its script.
    const { degraded, savedConfig, cluster } = this.server
    const start = { image: this.#image, nodes: cluster?.saved }
    this.server = new RedisServer(this, { ...this.config, ...savedConfig }, start)
    Object.assign(this.server.degraded, degraded)
    const { loadingUs } = this.server.config
    this.deployment.steps?.started(this)
    const restarted = () => {
      this.deployment.topology.restarted(this)
      this.deployment.steps?.returned(this)
    }
    // The data are in memory only after loading.
    if (this.#image === null || loadingUs === 0) restarted()
    else this.schedule(loadingUs, restarted)
  }

  /** Starts a spare for the first time, and makes it a replica of the given server. */
  startAsReplicaOf({ host, port }: MachineAddress): void {
    this.start()
    this.#operate('REPLICAOF', host, String(port))
  }

  flushAll(): void {
    this.#disturbed('a flush of all keys')
    const keys = this.server.describeKeys().map(({ key }) => key)
    this.#operate('FLUSHALL')
    this.#lost('flush', keys)
  }

  /**
   * Executes a command as from redis-cli. Like any other command, it reaches replicas and disks.
   */
  #operate(...command: string[]): void {
    const operator = this.server.connect({ write: () => {}, close: () => {} })
    this.#operating = true
    operator.receive(encodeCommand(command))
    this.#operating = false
    operator.close()
  }

  evict(): boolean {
    if (this.#evicts) return false
    this.#disturbed('eviction')
    this.#evicts = true
    this.server.config.maxmemoryPolicy = 'allkeys-random'
    const keys = this.server.evict(() => this.choices.choose('evict', 2) === 1)
    if (keys.length > 0) this.#lost('eviction', keys)
    return true
  }

  stopEvicting(): void {
    this.#evicts = false
    this.server.config.maxmemoryPolicy = 'noeviction'
  }

  flushScripts(): void {
    this.#disturbed('a flush of all scripts')
    this.server.scripts.flush()
  }

  degrade(what: StoreDegradation, on: boolean): boolean {
    if (this.server.degraded[what] === on) return false
    this.#disturbed(degradations[what])
    this.server.degraded[what] = on
    return true
  }

  #disturbed(what: string): void {
    this.deployment.traffic?.push({ kind: 'fault', what })
  }

  #lost(cause: 'flush' | 'eviction' | 'expiry', redisKeys: readonly string[]): void {
    this.world.recorder.fact({ type: 'data-lost', node: this.name, cause, redisKeys: redisKeys.map(textOf) })
  }

  // Called by the server.

  beforeCommand(connectionId: number, args: readonly string[]): 'run' | 'drop' | ErrorReply {
    this.answering = null
    return this.#operating ? 'run' : this.tap.beforeCommand(connectionId, args)
  }

  executed(connectionId: number, args: readonly string[], reply: Reply): void {
    this.tap.executed(connectionId, args, reply)
  }

  ran(command: Command, args: readonly string[]): void {
    this.#recordUse(command, args)
    this.deployment.immortalKeys.ran(command, args, this.server)
    if (this.server.replication.link === null) this.world.scheduleRecorder?.ran(command.fullName)
  }

  /** Records which keys the arriving message reads or changes. */
  #recordUse(command: Command, args: readonly string[]): void {
    const { journeys, kernel } = this.world
    if (journeys === null) return
    const { changes } = this
    const hasChanged = changes !== this.#changesSeen
    this.#changesSeen = changes
    if (withoutData.has(command.fullName)) return
    const keys = keysOf(command, args)
    for (const key of keys) journeys.uses(`${this.name} ${key}`, hasChanged, kernel.turns)
    // A command that names no key may use any of them.
    journeys.uses(`${this.name} *`, keys.length === 0, kernel.turns)
  }

  expired(key: string): void {
    this.world.scheduleRecorder?.expired(key)
    this.#lost('expiry', [key])
  }

  wrote(keys: readonly string[] | undefined): void {
    this.deployment.topology.wrote(this, keys)
    this.deployment.steps?.wrote(this)
  }

  /**
   * A client's WAIT returned that `count` replicas have its writes up to the offset.
   * @throws if fewer servers ever had these writes, which is a bug of the simulated WAIT
   */
  waited(offset: number, count: number): void {
    // The client has written nothing, so all attached replicas count, even those without any data.
    // Real Redis counts them, too.
    if (offset === 0) return
    const had = this.deployment.reached.countOthers(this, offset)
    if (count <= had) return
    throw new Error(`${this.name} answers WAIT with ${count}, but ${had} of its replicas have the writes before it`)
  }

  /** The replication offset after the client's last write. */
  writeOffsetOf(connectionId: number): number {
    return this.server.connections.get(connectionId)!.session.writeOffset
  }

  dataReplaced(): void {
    this.deployment.reached.note(this)
    this.#disturbed('a resync')
    this.deployment.topology.resynced(this)
  }

  hadTurn(): void {
    this.deployment.steps?.hadTurn(this)
  }

  roleChanged(): void {
    this.roleMayHaveChanged()
  }

  roleMayHaveChanged(): void {
    if (this.server.replication.link !== null) this.#disturbed('a failover')
    const { steps, topology } = this.deployment
    const reported = () => topology.roleMayHaveChanged(this)
    if (steps === null) reported()
    else steps.roleMayHaveChanged(this, reported)
  }

  replicated(attached: boolean): void {
    this.deployment.steps?.advanced(this, attached)
  }
}

/** Commands whose order among the commands of other connections makes no difference. */
const withoutData = new Set([
  ...['auth', 'client|getname', 'client|id', 'client|setinfo', 'client|setname', 'command', 'discard', 'echo', 'eval'],
  ...[
    'evalsha',
    'hello',
    'info',
    'multi',
    'ping',
    'quit',
    'readonly',
    'script|exists',
    'script|load',
    'select',
    'time',
  ],
  'unwatch',
])

const degradations = {
  outOfMemory: 'a server out of memory',
  loading: 'a server that loads its data',
  busy: 'a server busy with a script',
  connectionsExhausted: 'a server without connections to spare',
}
