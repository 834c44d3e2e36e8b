/**
 * Writes a server's data to its disk, and loads it at the start. Source: rdb.c, aof.c and server.c
 * of Redis 7.0.15.
 *
 * Fault model: files are complete or missing. A snapshot is complete `savingUs` after it was taken,
 * and then survives everything. A replica keeps a received data set as its snapshot regardless of
 * its save points, as real Redis does by default (it receives the data set in a file). The script
 * cache is not persisted. Not simulated: MISCONF, and rewriting for size.
 */

import type { Position } from '../replication/primary-stream.ts'
import type { RedisServer } from '../server.ts'
import { AppendOnlyFile } from './append-only-file.ts'
import type { DurableImage, Snapshot } from './image.ts'
import { replay } from './replay.ts'
import { nextSaveMs } from './save-points.ts'
import { packDataSet, unpackDataSet } from './snapshot.ts'

export class Persistence {
  lastSaveMs: number
  isSaving = false
  private snapshot: Snapshot | null = null
  /** The files while they are being loaded. They survive if the server dies while it loads. */
  private unread: DurableImage | null = null
  private log: AppendOnlyFile | null = null
  /** The rewritten log, which will replace `log` when it is complete. */
  private fresh: AppendOnlyFile | null = null
  /** True if effects are appended to the log. */
  private appends = false
  /** The value of the counter of changes at the last save. */
  private savedChanges = 0
  private cancelSaving: (() => void) | null = null
  private cancelSavePoint: (() => void) | null = null

  constructor(private readonly server: RedisServer) {
    this.lastSaveMs = server.startedMs
  }

  /** Loads the files. `done` may be called before `begin` returns. */
  begin(image: DurableImage | null, done: () => void): void {
    const { server } = this
    this.snapshot = image?.snapshot ?? null
    const { appendonly, loadingUs } = server.config
    const found = appendonly ? image?.log : image?.snapshot
    if (!found) return this.ready(image, done)
    if (loadingUs === 0) {
      this.read(image!)
      return this.ready(image, done)
    }
    server.setLoading(true)
    this.unread = image
    server.after(loadingUs, () => {
      server.readClock()
      this.read(image!)
      this.unread = null
      server.setLoading(false)
      this.ready(image, done)
    })
  }

  private ready(image: DurableImage | null, done: () => void): void {
    const { appendonly, save } = this.server.config
    if (appendonly) this.openLog(image?.log ?? null)
    else if (image?.log) this.log = this.newLog(image.log.base, image.log.commands)
    this.savedChanges = this.server.keyspace.state.changes
    if (appendonly || save !== '') this.listen()
    done()
  }

  private read({ snapshot, log }: DurableImage): void {
    const { server } = this
    if (server.config.appendonly) {
      unpackDataSet(log!.base, server)
      replay(server, log!.commands)
      return
    }
    const { history } = snapshot!
    const leads = server.config.replicaof === ''
    if (history !== null) server.replication.remember(history, leads)
    // A primary skips keys that expired since the snapshot, and propagates their deletion to its
    // replicas.
    unpackDataSet(
      snapshot!.keys,
      server,
      leads ? (database, key) => server.replication.recordExpired(database, key) : undefined,
    )
  }

  private openLog(found: DurableImage['log']): void {
    this.log = found === null ? this.newLog(packDataSet(this.server)) : this.newLog(found.base, found.commands)
    this.appends = true
  }

  private newLog(base: string, commands = ''): AppendOnlyFile {
    const { config, environment } = this.server
    return new AppendOnlyFile(config, () => environment.nowUs(), base, commands)
  }

  get hasLog(): boolean {
    return this.appends
  }

  get changesSinceSave(): number {
    return this.server.keyspace.state.changes - this.savedChanges
  }

  image(lost: 'process' | 'machine'): DurableImage | null {
    if (this.unread !== null) return this.unread
    if (this.snapshot === null && this.log === null) return null
    return { snapshot: this.snapshot, log: this.log?.left(lost) ?? null }
  }

  /**
   * Listens to effects while a log is written, or while changes count towards the next snapshot.
   */
  listen(): void {
    const { propagation, config } = this.server
    const wanted = this.appends || config.save !== ''
    propagation.listen('file', wanted ? (database, words) => this.append(database, words) : null)
  }

  private append(database: number, words: readonly string[]): void {
    if (this.appends) {
      this.log!.append(database, words)
      this.fresh?.append(database, words)
    }
    if (this.server.config.save !== '') this.watchSavePoints()
  }

  watchSavePoints(): void {
    const { server } = this
    this.cancelSavePoint?.()
    const due = nextSaveMs(server.config.save, this.changesSinceSave, this.lastSaveMs)
    if (due === null || this.isSaving) return
    const delayUs = Math.max(0, due * 1000 - server.environment.nowUs())
    this.cancelSavePoint = server.after(delayUs, () => this.saveLater(), true)
  }

  /** SAVE: stores a snapshot at once. */
  save(): void {
    this.saved({ keys: packDataSet(this.server), history: this.server.replication.rememberedAs })
  }

  /** BGSAVE: takes a snapshot of the current data set, which is complete `savingUs` later. */
  saveLater(): void {
    const { server } = this
    if (server.config.savingUs === 0) return this.save()
    const taken: Snapshot = { keys: packDataSet(server), history: server.replication.rememberedAs }
    const { changes } = server.keyspace.state
    this.isSaving = true
    this.cancelSavePoint?.()
    this.cancelSaving = server.after(server.config.savingUs, () => {
      this.isSaving = false
      this.saved(taken, changes)
      this.watchSavePoints()
    })
  }

  private saved(snapshot: Snapshot, changes = this.server.keyspace.state.changes): void {
    this.snapshot = snapshot
    this.lastSaveMs = this.server.readClock()
    this.savedChanges = changes
  }

  /**
   * BGREWRITEAOF, and the start of a log: begins a log with the current data set. The old log stays
   * valid until the new one is complete.
   */
  rewrite(): void {
    const { server } = this
    const fresh = this.newLog(packDataSet(server))
    if (server.config.savingUs === 0 || this.log === null) {
      this.log = fresh
      return
    }
    this.fresh = fresh
    server.after(server.config.savingUs, () => {
      if (this.fresh !== fresh) return
      this.log = fresh
      this.fresh = null
    })
  }

  /** Called after CONFIG SET appendonly. */
  appendonlyChanged(): void {
    const { appendonly } = this.server.config
    if (appendonly === this.appends) return
    this.appends = appendonly
    if (appendonly) this.rewrite()
    this.listen()
  }

  /**
   * Called by FLUSHALL: cancels a running save. If there are save points, saves the empty data set
   * at once.
   */
  flushed(): void {
    this.cancelSaving?.()
    this.isSaving = false
    if (this.server.config.save !== '') this.save()
  }

  /**
   * Stores a data set received from the primary as the snapshot. Until the data set is loaded,
   * nothing is appended to the log.
   */
  received(keys: string, history: Position): void {
    this.snapshot = { keys, history: { ...history, database: Math.max(0, history.database) } }
    this.appends = false
    this.fresh = null
    this.listen()
  }

  loaded(): void {
    this.savedChanges = this.server.keyspace.state.changes
    this.appendonlyChanged()
  }
}
