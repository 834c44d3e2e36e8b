import { ErrorReply, QUEUED, type Reply } from 'redis-sim/resp'
import type { ClientSide, Connection, Tap } from 'virtual-node/network'
import type { VirtualProcess } from 'virtual-node/runtime'
import type { Decision } from '../../run/boundary-event.ts'
import { keyOfBytes, keyOfCommand } from '../../run/command-key.ts'
import type { CommandLabels } from '../../run/command-labels.ts'
import { isPublished } from '../../run/published.ts'
import { questionOf } from '../../run/store-steps.ts'
import type { AcknowledgedKeys } from './acknowledged-keys.ts'
import { Handshakes } from './handshakes.ts'
import { keysWritten } from './lost-keys.ts'
import type { OrphanedCommands } from './orphaned-commands.ts'
import { recordLost } from './record-lost.ts'
import type { TrafficEvent } from './traffic.ts'
import type { World } from './world-state.ts'

/** The server interface that the tap needs. */
export interface TappedServer {
  readonly name: string
  /** The label of the command whose reply is written next; null if no boundary counts it. */
  answering: string | null
  readonly acknowledged: AcknowledgedKeys
  /** The number of changes of the server's data so far. */
  readonly changes: number
  nowUs(): number
  /** Keys with their deadlines; null if several databases have such keys. */
  deadlines(): readonly (readonly [key: string, deadlineMs: number])[] | null
  clientOf(connectionId: number): ClientSide | undefined
  writeOffsetOf(connectionId: number): number
  /**
   * A WAIT for writes up to `offset` returned `count` to a client. @throws if the count is wrong
   */
  waited(offset: number, count: number): void
  /** A client's command changed data; `keys` is undefined if the command does not name them. */
  wrote(keys: readonly string[] | undefined): void
  /** Another machine's command was executed, which may have changed the role of the server. */
  roleMayHaveChanged(): void
}

/** State that all servers of a deployment share. */
export interface TapContext {
  readonly labels: CommandLabels
  readonly orphans: OrphanedCommands
  /** The writer of a key matters only if there is more than one server. */
  readonly severalServers: boolean
  /** True in a Cluster, whose nodes clients query about the other nodes. */
  readonly isCluster: boolean
  /** Receives everything that is executed; null if not requested. */
  readonly traffic: TrafficEvent[] | null
}

/**
 * Watches the commands of consumers on their way to one server and back. Each command passes four
 * boundaries: before it leaves the process, before and after its execution, and before its reply
 * reaches the process.
 */
export class CommandTap implements Tap {
  /** The id of the connection on which the current command arrived. */
  #atHand = 0
  /** True if the current command gets an error instead of being executed. */
  #refuses = false
  #changesBefore = 0
  /** Null if no schedule is recorded. */
  readonly #handshakes: Handshakes | null
  /**
   * By connection, in order: the queries of clients about the Cluster whose replies are in flight;
   * null for other unlabelled commands.
   */
  readonly #asked = new WeakMap<ClientSide, (string | null)[]>()
  /** By connection: the offset for which the WAIT in flight waits. */
  readonly #waits = new Map<number, number>()

  constructor(
    private readonly world: World,
    private readonly server: TappedServer,
    private readonly commands: TapContext,
  ) {
    this.#handshakes = world.scheduleRecorder === null ? null : new Handshakes()
  }

  // The process's end of a connection.

  begins(connection: Connection): void {
    this.#handshakes?.begins(connection)
  }

  opened(connection: Connection): void {
    this.commands.orphans.opened(connection)
  }

  sending(connection: Connection, bytes: string): void {
    this.world.sent?.sending(connection, bytes)
  }

  label(_connection: Connection, bytes: string): string | null {
    return this.commands.labels.ofBytes(bytes)
  }

  leaving(connection: Connection, label: string, bytes: string): boolean {
    const { world } = this
    const key = world.wantsKeys ? keyOfBytes(bytes) : undefined
    world.scheduleRecorder?.comesBy(connection)
    const leaves = world.guardHarnessCode(() =>
      goesOn(world.pass(connection.process, 'command-unsent', label, undefined, key), connection),
    )
    if (!leaves) return false
    this.#handshakes?.commandLeaves(connection)
    this.commands.orphans.leaves(connection, label, bytes)
    if (world.isRecorded(connection.process))
      for (const observer of world.observers)
        observer.leaves?.(connection, connection.process.name, this.server.name, bytes)
    return true
  }

  arriving(connection: Connection, label: string): boolean {
    if (this.commands.severalServers) this.server.acknowledged.reported(connection)
    this.commands.orphans.answered(connection, label)
    this.world.scheduleRecorder?.comesBy(connection)
    const arrives = goesOn(this.world.pass(connection.process, 'reply-received', label), connection)
    if (!arrives) return false
    this.world.sent?.hears(connection)
    for (const observer of this.world.observers) observer.replies?.(connection)
    this.#handshakes?.hears(connection)
    return true
  }

  hearing(connection: Connection, bytes: string): void {
    const handshakes = this.#handshakes
    if (handshakes === null) return
    handshakes.hears(connection)
    const what = isPublished(bytes) ? 'told' : 'handshake-answered'
    if (what === 'handshake-answered' && this.#hearsAnswer(connection)) return
    if (what === 'handshake-answered' && handshakes.isOver(connection)) return
    const number = handshakes.numberOf(connection)
    this.world.scheduleRecorder?.comesBy(connection)
    this.world.heard(connection.process, what, number, this.commands.isCluster ? this.server.name : null)
  }

  gaveUp({ process }: Connection): void {
    this.world.scheduleRecorder?.gaveUp(process.name)
  }

  /**
   * When a connection ends, a Cluster client connects to another node. How the connection ended
   * decides how long the client waits before that.
   */
  over(connection: Connection, how: 'refused' | 'disconnected'): void {
    const handshakes = this.#handshakes
    if (handshakes === null || !this.commands.isCluster || !handshakes.ends(connection)) return
    this.world.scheduleRecorder?.comesBy(connection)
    this.world.heard(connection.process, how, handshakes.numberOf(connection), this.server.name)
  }

  /**
   * True if the received reply answers a query about the Cluster. The reply is recorded as a
   * separate step.
   */
  #hearsAnswer(connection: Connection): boolean {
    const question = this.#asked.get(connection)?.shift() ?? null
    const { scheduleRecorder } = this.world
    if (question === null || scheduleRecorder === null || !this.world.isRecorded(connection.process)) return false
    scheduleRecorder.comesBy(connection)
    scheduleRecorder.take(
      { kind: 'hears', process: connection.process.name, server: this.server.name, question },
      () => {},
    )
    return true
  }

  #asks(connection: ClientSide, process: VirtualProcess, args: readonly string[]): void {
    const { scheduleRecorder } = this.world
    if (scheduleRecorder === null || !this.commands.isCluster || !this.world.isRecorded(process)) return
    const asked = this.#asked.get(connection) ?? []
    this.#asked.set(connection, asked)
    const question = questionOf(args)
    asked.push(question)
    if (question === null) return
    scheduleRecorder.comesBy(connection)
    scheduleRecorder.take({ kind: 'asks', process: process.name, server: this.server.name, question }, () => {})
  }

  lost(connection: Connection, what: 'request' | 'reply', label: string): void {
    const { process } = connection
    if (what === 'request') this.commands.orphans.lost(connection, process, label)
    recordLost(this.world, connection, process, what, label)
  }

  // The server's end.

  beforeCommand(connectionId: number, args: readonly string[]): 'run' | 'drop' | ErrorReply {
    const { server, world } = this
    this.#atHand = connectionId
    const connection = server.clientOf(connectionId)
    if (connection === undefined) return 'drop'
    const { process } = connection
    const label = process === null ? null : this.commands.labels.of(args)
    if (process === null) return 'run'
    if (label === null) {
      this.#asks(connection, process, args)
      return this.#run(connectionId, args)
    }
    world.limits.noteCommand(args)
    const key = world.wantsKeys ? keyOfCommand(args) : undefined
    world.scheduleRecorder?.comesBy(connection)
    const decision = world.pass(process, 'command-unexecuted', label, undefined, key, connection.hungUpUs !== null)
    if (decision.verdict === 'drop') {
      this.commands.orphans.lost(connection, process, label)
      recordLost(world, connection, process, 'request', label)
      connection.break('ECONNRESET')
    }
    if (server.clientOf(connectionId) === undefined) return 'drop'
    this.commands.orphans.comes(connection, process, label, args)
    server.answering = label
    if (this.commands.severalServers && world.isRecorded(process)) world.scheduleRecorder?.executedBy(server.name)
    // The reply to WAIT is not a separate step.
    if (world.isRecorded(process) && !isWait(args)) world.serversAhead.next()
    this.#refuses = decision.error !== null
    if (decision.error === null) return this.#run(connectionId, args)
    this.commands.traffic?.push({ kind: 'fault', what: 'an error instead of a reply' })
    return new ErrorReply(decision.error)
  }

  #run(client: number, args: readonly string[]): 'run' {
    this.commands.traffic?.push({ kind: 'command', client, atUs: this.server.nowUs(), args })
    this.#changesBefore = this.server.changes
    if (this.commands.severalServers && isWait(args)) this.#waits.set(client, this.server.writeOffsetOf(client))
    return 'run'
  }

  executed(connectionId: number, args: readonly string[], reply: Reply): void {
    const { server, world } = this
    const { orphans, severalServers } = this.commands
    // Another client's command serves a blocked command, but the reply counts under the label of
    // the blocked command.
    if (connectionId !== this.#atHand && server.answering !== null) server.answering = this.commands.labels.of(args)
    const label = server.answering
    const connection = server.clientOf(connectionId)
    if (connection === undefined) return
    const { process } = connection
    if (process === null) return server.roleMayHaveChanged()
    const sent = world.sent?.executed(connection, args)
    if (severalServers && isWait(args) && typeof reply === 'number') {
      const offset = this.#waits.get(connectionId)!
      world.guardHarnessCode(() => server.waited(offset, reply))
    }
    if (severalServers) this.#noteWrite(connection, args, label)
    if (label === null) return
    world.sent?.replies(connection, sent?.asked)
    if (server.changes > this.#changesBefore) {
      world.scheduleRecorder?.wrote()
      if (!severalServers) world.scheduleRecorder?.lives(server.deadlines(), server.nowUs() - world.kernel.nowUs)
    }
    world.scheduleRecorder?.executed()
    orphans.executed(connection, label, label === 'MULTI' || reply === QUEUED)
    world.traceCommand(process, {
      args: named(args, label),
      reply,
      node: severalServers ? server.name : null,
      sentFrom: sent?.from ?? undefined,
      ofStart: sent?.ofStart ?? false,
    })
    if (world.isRecorded(process))
      for (const observer of world.observers) observer.executes?.(connection, process.name, server.name, label)
    world.schedule(process, label, args, reply, sent?.delivery ?? null)
    if (this.#refuses) return
    const key = world.wantsKeys ? keyOfCommand(args) : undefined
    world.scheduleRecorder?.comesBy(connection)
    const decision = world.pass(process, 'command-executed', label, undefined, key, connection.hungUpUs !== null)
    if (decision.verdict !== 'drop') return
    recordLost(world, connection, process, 'reply', label)
    server.answering = null
    connection.break('ECONNRESET')
  }

  /** Records the keys that a command wrote, as not yet acknowledged to a client. */
  #noteWrite(connection: ClientSide, args: readonly string[], label: string | null): void {
    const wrote = this.server.changes > this.#changesBefore
    const keys = wrote ? keysWritten(args) : []
    if (label !== null) this.server.acknowledged.executed(connection, keys ?? [])
    if (wrote) this.server.wrote(keys)
  }

  /** The connection has ended. `args`: the first command on it that was not executed. */
  neverExecuted(connection: ClientSide, args: readonly string[]): void {
    const label = this.commands.labels.of(args)
    if (connection.process !== null && label !== null) this.commands.orphans.lost(connection, connection.process, label)
  }
}

/** Replaces the body or SHA-1 of a script by its name. */
function named(args: readonly string[], label: string): readonly string[] {
  return label.startsWith('EVALSHA ') ? [args[0]!, label.slice('EVALSHA '.length), ...args.slice(2)] : args
}

const isWait = ([name]: readonly string[]): boolean => /^wait$/i.test(name!)

function goesOn(decision: Decision, connection: Connection): boolean {
  return decision.verdict === 'pass' && connection.state === 'open'
}
