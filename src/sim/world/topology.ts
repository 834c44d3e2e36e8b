import type { KeyDescription, RedisServer } from 'redis-sim'
import type { PromotionDefect } from '../../contract/api/history.ts'
import type { AcknowledgedKeys } from './acknowledged-keys.ts'
import { changedKeys } from './lost-keys.ts'
import type { Recorder } from './recorder.ts'
import { textOf } from './text-of.ts'

/** A server whose role and data are tracked. */
export interface FollowedServer {
  readonly name: string
  readonly server: RedisServer
  /** True if some of its data outlives its process. */
  readonly hasDisk: boolean
  readonly acknowledged: AcknowledgedKeys
}

/**
 * The actual primary of each shard: the server promoted last. Other servers may still act as
 * primaries, and no server knows for certain which one is the actual primary. The simulator knows
 * it, so it can record which data was lost, and why.
 */
export class Topology<S extends FollowedServer> {
  readonly #shards = new Map<S, number>()
  #primaries: S[] = []
  readonly #replicas = new Set<S>()
  /**
   * The shard that a consumer wrote to last. A fault of the primary strikes the primary of this
   * shard.
   */
  #focus = 0
  /** The data that a dead server had in memory, until it is back. */
  readonly #atDeath = new Map<S, readonly KeyDescription[]>()
  /** How servers that had died came back. */
  readonly #cameBack = new Map<S, { readonly empty: boolean; readonly forgot: boolean }>()

  constructor(private readonly recorder: Recorder) {}

  /** Called when the run is over; see `VirtualProcess.dispose`. */
  dispose(): void {
    for (const known of [this.#shards, this.#replicas, this.#atDeath, this.#cameBack]) known.clear()
    this.#primaries = []
  }

  /** The first server of a shard is its primary. Add servers shard by shard. */
  add(server: S, shard: number): void {
    this.#shards.set(server, shard)
    if (this.#primaries.length <= shard) this.#primaries.push(server)
    else this.#replicas.add(server)
  }

  get primaries(): readonly S[] {
    return this.#primaries
  }

  /** The primary of the shard that was written to last. */
  get primary(): S {
    return this.#primaries[this.#focus]!
  }

  isAtHand(server: S): boolean {
    return this.#shards.get(server) === this.#focus
  }

  isPrimary(server: S): boolean {
    return this.#primaries[this.#shards.get(server)!] === server
  }

  /**
   * The server's process died with its data in memory. What its disk kept is known when the server
   * is back.
   */
  died(server: S): void {
    const keys = server.server.describeKeys()
    this.#atDeath.set(server, keys)
    // Records the loss even if there were no keys, because the server returns with another data
    // set, which its clients can see. If the shard has other servers, one of them may have all the
    // data. So the loss is recorded when another server takes over, or when this server is back.
    if (this.isPrimary(server) && !server.hasDisk && this.#isAlone(server))
      this.#lost(
        server,
        'restart',
        keys.map(({ key }) => key),
      )
  }

  /** The server has loaded the data that its disk kept. */
  restarted(server: S): void {
    const before = this.#stillHad(server, this.#atDeath.get(server) ?? [])
    this.#atDeath.delete(server)
    this.#replicas.delete(server)
    if (server.server.replication.role === 'slave') this.#replicas.add(server)
    const lost = changedKeys(before, server.server.describeKeys())
    if (this.isPrimary(server) && (server.hasDisk || !this.#isAlone(server))) this.#lost(server, 'restart', lost)
    this.#cameBack.set(server, { empty: !server.hasDisk, forgot: lost.length > 0 })
  }

  roleMayHaveChanged(server: S): void {
    // A server that loads its data does not follow a primary yet.
    if (server.server.isLoading) return
    if (server.server.replication.role === 'slave') this.#replicas.add(server)
    else if (this.#replicas.delete(server)) this.#promoted(server)
  }

  #promoted(server: S): void {
    const shard = this.#shards.get(server)!
    const before = this.#primaries[shard]!
    this.#primaries[shard] = server
    const defects = this.#defectsOf(server)
    const texts = defects.map((one) => defectTexts[one]).join('')
    const passedOver = this.#neverPromoted(shard)
    const never = passedOver.length === 0 ? '' : `; ${passedOver.join(' and ')} must not be promoted`
    this.#changed(server, 'promoted', `${server.name} is promoted and replaces ${before.name}${texts}${never}`, {
      other: before.name,
      ...(defects.length === 0 ? {} : { defects }),
      ...(passedOver.length === 0 ? {} : { passedOver }),
    })
    const had = this.#atDeath.get(before) ?? before.server.describeKeys()
    const lost = changedKeys(this.#stillHad(before, had), server.server.describeKeys())
    if (lost.length > 0) this.#lost(before, 'failover', lost)
  }

  /** True if its shard has no other server. */
  #isAlone(server: S): boolean {
    const shard = this.#shards.get(server)
    return [...this.#shards].every(([other, its]) => other === server || its !== shard)
  }

  /** Excludes keys that would have expired by now, because they are not lost. */
  #stillHad({ server }: S, keys: readonly KeyDescription[]): readonly KeyDescription[] {
    const now = server.readClock()
    return keys.filter(({ expireAtMs }) => expireAtMs === null || now <= Number(expireAtMs))
  }

  /** The shard's replicas of priority 0 that are up. */
  #neverPromoted(shard: number): string[] {
    const isOne = (one: S) => one.server.config.replicaPriority === 0 && !this.#atDeath.has(one)
    return [...this.#replicas].filter((one) => this.#shards.get(one) === shard && isOne(one)).map(({ name }) => name)
  }

  #defectsOf(server: S): PromotionDefect[] {
    const { hasSynced, ledFrom } = server.server.replication
    const { empty = false, forgot = false } = (!hasSynced && this.#cameBack.get(server)) || {}
    const defects = { 'never-synced': empty, forgetful: forgot, 'mid-resync': ledFrom === 'sync' }
    return (Object.keys(defects) as PromotionDefect[]).filter((one) => defects[one])
  }

  /** A client's command changed data; `keys` is undefined if the command does not name them. */
  wrote(server: S, keys: readonly string[] | undefined): void {
    this.#focus = this.#shards.get(server)!
    if (!this.isPrimary(server) && !this.#replicas.has(server)) this.#lost(server, 'split-brain', keys)
  }

  resynced(server: S): void {
    this.#changed(server, 'resynced', `${server.name} replaces its data by its primary's`)
  }

  /** A Sentinel announces the primary, also to its clients. */
  announced(sentinel: { readonly name: string }, primary: S | undefined, host: string | undefined): void {
    const sentence = `${sentinel.name} announces ${primary?.name ?? host} as the primary`
    this.#changed(sentinel, 'announced', sentence, primary === undefined ? {} : { other: primary.name })
  }

  #changed(
    { name: node }: { readonly name: string },
    what: 'promoted' | 'resynced' | 'announced',
    sentence: string,
    about: {
      readonly other?: string
      readonly defects?: readonly PromotionDefect[]
      readonly passedOver?: readonly string[]
    } = {},
  ): void {
    this.recorder.fact({ type: 'topology', node, what, sentence, ...about })
  }

  #lost(server: S, cause: 'restart' | 'failover' | 'split-brain', redisKeys: readonly string[] | undefined): void {
    const keys = redisKeys === undefined ? {} : { redisKeys: redisKeys.map(textOf) }
    const acknowledged = redisKeys?.some((key) => server.acknowledged.has(key)) ? { acknowledged: true } : {}
    this.recorder.fact({ type: 'data-lost', node: server.name, cause, ...keys, ...acknowledged })
  }
}

const defectTexts: Record<PromotionDefect, string> = {
  'never-synced': ', although it never synced with a primary',
  forgetful: ', although it has lost its data',
  'mid-resync': ', in the middle of a full resync',
}
