/**
 * What a server keeps on its disk, and how it begins from that. Source: rdb.c, aof.c and server.c
 * of Redis 7.0.15.
 *
 * Fault model: files are whole or not there; a snapshot counts when it has been written, `savingUs`
 * after it was taken, and then survives everything. A replica keeps the data set that it was sent
 * as its snapshot, as real Redis does on the default way over a file, whatever its save points. The
 * script cache is nowhere. Left out: MISCONF, and rewriting for size.
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
  /** A snapshot is being written. */
  isSaving = false
  private snapshot: Snapshot | null = null
  /** The files while they are read: a server that dies meanwhile finds them again. */
  private unread: DurableImage | null = null
  private log: AppendOnlyFile | null = null
  /** The log that takes its place when it has been written. */
  private fresh: AppendOnlyFile | null = null
  /** Effects are appended; a log that is no longer written stays what it is. */
  private appends = false
  /** What the data set had gone through when it was last saved. */
  private savedChanges = 0
  private cancelSaving: (() => void) | null = null
  private cancelSavePoint: (() => void) | null = null

  constructor(private readonly server: RedisServer) {
    this.lastSaveMs = server.startedMs
  }

  /** Reads what is there; `done` may be called before it returns. */
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
    // A primary does not take over what has expired meanwhile, and its replicas will be told.
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
   * Effects are wanted while a file is appended to, or while changes are counted towards the next
   * snapshot.
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

  /** SAVE: at once. */
  save(): void {
    this.saved({ keys: packDataSet(this.server), history: this.server.replication.rememberedAs })
  }

  /** BGSAVE: the data set as it is now, which counts later. */
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
   * BGREWRITEAOF, and a log that begins: the data set as it is now, and what comes after it. Until
   * then the old one counts.
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

  /** CONFIG SET appendonly. */
  appendonlyChanged(): void {
    const { appendonly } = this.server.config
    if (appendonly === this.appends) return
    this.appends = appendonly
    if (appendonly) this.rewrite()
    this.listen()
  }

  /**
   * FLUSHALL: what is being written is given up; where there are save points, the empty data set is
   * saved at once.
   */
  flushed(): void {
    this.cancelSaving?.()
    this.isSaving = false
    if (this.server.config.save !== '') this.save()
  }

  /**
   * A primary sent its data set, which is a file here from now on. Nothing is appended until it is
   * read.
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
