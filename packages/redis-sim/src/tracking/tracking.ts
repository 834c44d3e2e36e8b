/**
 * Client-side caching: sends invalidations of changed keys to clients. Source: tracking.c of Redis
 * 7.0.
 */

import { type Command, flagBits } from '../command.ts'
import { keysOf } from '../key-specs.ts'
import { compareBytes } from '../keyspace/entry.ts'
import { encodeReply } from '../resp/encode.ts'
import { PushReply } from '../resp/reply.ts'
import type { RedisServer } from '../server.ts'
import type { Session } from '../session.ts'
import { TrackedClient, type TrackingMode } from './tracked-client.ts'

/** The clients that track a key prefix, and the keys changed since the last broadcast. */
interface Prefix {
  readonly clients: Set<TrackedClient>
  /** Maps a key to the session that changed the key last; null if no session changed it. */
  changed: Map<string, Session | null>
}

const channel = '__redis__:invalidate'
/**
 * Script commands that are flagged as read-only. Keys are remembered for the commands that a script
 * executes, not for the script command itself.
 */
const readOnlyScripts = new Set(['eval_ro', 'evalsha_ro', 'fcall_ro'])

export class Tracking {
  /** Maps a key to the clients that have read it. */
  private table = new Map<string, Set<number>>()
  private readonly prefixes = new Map<string, Prefix>()
  clients = 0
  /** True if tracking was ever enabled on this server. */
  used = false
  /** True while a script runs. */
  inScript = false
  /** The client whose command is being executed, and the command. A script acts for this client. */
  private current: { readonly session: Session; readonly command: Command; readonly args: readonly string[] } | null =
    null
  /**
   * Invalidations for the current client itself, which are sent after its reply. An entry is a key,
   * or null for all keys.
   */
  private pending: (string | null)[] = []

  constructor(private readonly server: RedisServer) {}

  /** Figures for INFO. */
  get totals(): { readonly keys: number; readonly items: number; readonly prefixes: number } {
    let items = 0
    for (const ids of this.table.values()) items += ids.size
    return { keys: this.table.size, items, prefixes: this.prefixes.size }
  }

  enable(session: Session, redirect: number, modes: ReadonlySet<TrackingMode>, prefixes: readonly string[]): void {
    if (session.tracked === null) {
      session.tracked = new TrackedClient(session)
      this.clients++
    }
    const client = session.tracked
    Object.assign(client, { redirect, modes, broken: false })
    this.used = true
    this.server.keyspace.state.invalidated = (key) => this.invalidate(key)
    if (!modes.has('bcast')) return
    for (const prefix of prefixes.length === 0 ? [''] : prefixes) {
      const state = this.prefixes.get(prefix) ?? { clients: new Set(), changed: new Map() }
      this.prefixes.set(prefix, state)
      state.clients.add(client)
      client.prefixes.add(prefix)
    }
  }

  disable(session: Session): void {
    const client = session.tracked
    if (client === null) return
    session.tracked = null
    this.clients--
    for (const prefix of client.prefixes) {
      const { clients } = this.prefixes.get(prefix)!
      clients.delete(client)
      if (clients.size === 0) this.prefixes.delete(prefix)
    }
  }

  /** Called before a client's command is executed. */
  begin(session: Session, command: Command, args: readonly string[]): void {
    this.current = { session, command, args }
  }

  /**
   * Called after a command was executed: a command of a client, of its transaction, or (with
   * session id 0) of its script.
   */
  executed(session: Session, command: Command, args: readonly string[]): void {
    if ((command.flags & flagBits.readonly) === 0 || readOnlyScripts.has(command.fullName)) return
    const ofScript = session.id === 0
    const reader = ofScript ? this.current?.session.tracked : session.tracked
    if (!reader?.remembers) return
    // A script counts as having read all keys that its call declares.
    const asked = ofScript ? this.current! : { command, args }
    for (const key of keysOf(asked.command, asked.args)) {
      const ids = this.table.get(key)
      if (ids === undefined) this.table.set(key, new Set([reader.session.id]))
      else ids.add(reader.session.id)
    }
  }

  /** Called before EXEC executes this command. */
  inTransaction(command: Command, args: readonly string[]): void {
    if (this.current !== null) this.current = { session: this.current.session, command, args }
  }

  /** Called after the reply was sent: sends the invalidations caused by the client itself. */
  answered(session: Session): void {
    this.forgetSome()
    const { pending } = this
    if (pending.length > 0) {
      this.pending = []
      if (session.tracked !== null) for (const key of pending) this.report(session.tracked, key === null ? null : [key])
    }
    if (session.tracked !== null && session.sent?.fullName.startsWith('client') !== true && session.queue === null) {
      session.tracked.caching = false
    }
    this.current = null
  }

  /**
   * While the table has more than tracking-table-max-keys keys, forgets random keys and sends their
   * invalidations.
   */
  private forgetSome(): void {
    const most = this.server.config.trackingTableMaxKeys
    while (most !== 0 && this.table.size > most) {
      const chosen = this.server.environment.random(this.table.size)
      this.notifyReaders([...this.table.keys()][chosen]!, null)
    }
  }

  private invalidate(key: string): void {
    const by = this.current?.session ?? null
    for (const [prefix, { changed }] of this.prefixes) {
      if (key.startsWith(prefix)) changed.set(key, this.inScript ? null : by)
    }
    this.notifyReaders(key, by)
  }

  private notifyReaders(key: string, by: Session | null): void {
    const ids = this.table.get(key)
    if (ids === undefined) return
    this.table.delete(key)
    for (const id of ids) {
      const client = this.server.connections.get(id)?.session.tracked
      if (client === undefined || client === null || client.has('bcast')) continue
      if (client.session !== by) this.report(client, [key])
      else if (!client.has('noloop')) this.pending.push(key)
    }
  }

  /** Called when all keys were deleted. */
  flushed(): void {
    this.table = new Map()
    if (this.clients === 0) return
    for (const { session } of this.server.connections.values()) {
      if (session.tracked === null) continue
      if (session === this.current?.session) this.pending.push(null)
      else this.report(session.tracked, null)
    }
  }

  /**
   * Sends the keys changed since the last broadcast to the clients of prefixes, in order of bytes.
   */
  broadcast(): void {
    if (this.prefixes.size === 0) return
    for (const [, state] of [...this.prefixes].sort(([a], [b]) => compareBytes(a, b))) {
      if (state.changed.size === 0) continue
      const changed = [...state.changed].sort(([a], [b]) => compareBytes(a, b))
      state.changed = new Map()
      for (const client of state.clients) {
        const keys = changed.filter(([, by]) => !client.has('noloop') || by !== client.session).map(([key]) => key)
        if (keys.length > 0) this.report(client, keys)
      }
    }
  }

  /** Sends an invalidation to a client or its redirection target. `keys` is null for all keys. */
  private report(client: TrackedClient, keys: readonly string[] | null): void {
    const { session, redirect } = client
    const target = redirect === 0 ? session : this.server.connections.get(redirect)?.session
    if (target === undefined) {
      client.broken = true
      if (session.resp === 3) session.outlet.push(new PushReply(['tracking-redir-broken', redirect]))
      return
    }
    if (target.resp === 2 && !(redirect !== 0 && target.isSubscriber)) return
    const head = target.resp === 3 ? ['invalidate'] : ['message', channel]
    if (keys !== null || target.resp === session.resp) target.outlet.push(new PushReply([...head, keys]))
    // Real Redis encodes the null in the protocol of the tracking client, even if the target uses
    // another protocol.
    else target.outlet.write(withNullOf(session.resp, encodeReply(new PushReply([...head, null]), target.resp)))
  }
}

function withNullOf(resp: 2 | 3, message: string): string {
  return message.replace(/(\$-1|_)\r\n$/, encodeReply(null, resp))
}
