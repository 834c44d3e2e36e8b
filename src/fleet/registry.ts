/**
 * Which campaigns there are, and which machines work for them: a few keys beside the queues. All of
 * them expire, so that an asker that was killed leaves nothing behind.
 */
import type { Redis } from 'ioredis'
import type { Identity } from './identity.ts'

export interface Presence {
  /** Threads; 0 for a machine that refused. */
  readonly workers: number
  readonly refused: string | null
}

const campaigns = 'onceproof:campaigns'
/** A queue that is away for a minute must not end a campaign. */
const cardMs = 90_000
/** How long jobs outlive their asker. */
const keptMs = 600_000

const cardOf = (campaign: string) => `onceproof:card:${campaign}`
const workersOf = (campaign: string) => `onceproof:workers:${campaign}`

/** BullMQ's name for the keys of all queues. */
export const queuePrefix = 'onceproof:queue'

export class Registry {
  constructor(private readonly redis: Redis) {}

  /** Renews a campaign's entry, and the lifetime of its keys. */
  async announce(campaign: string, identity: Identity, keys: readonly string[]): Promise<void> {
    const said = this.redis.multi()
    said.set(cardOf(campaign), JSON.stringify(identity), 'PX', cardMs)
    said.sadd(campaigns, campaign)
    for (const key of [campaigns, workersOf(campaign), ...keys]) said.pexpire(key, keptMs)
    await said.exec()
  }

  /** Campaigns that are alive, and those whose asker died. */
  async all(): Promise<{ readonly alive: ReadonlyMap<string, Identity>; readonly dead: readonly string[] }> {
    const ids = (await this.redis.smembers(campaigns)).sort()
    const cards = ids.length === 0 ? [] : await this.redis.mget(ids.map(cardOf))
    const alive = new Map<string, Identity>()
    const dead: string[] = []
    ids.forEach((id, at) => {
      const card = cards[at]
      if (card) alive.set(id, JSON.parse(card))
      else dead.push(id)
    })
    return { alive, dead }
  }

  async enter(campaign: string, worker: string, presence: Presence): Promise<void> {
    await this.redis
      .multi()
      .hset(workersOf(campaign), worker, JSON.stringify(presence))
      .pexpire(workersOf(campaign), cardMs)
      .exec()
  }

  async workers(campaign: string): Promise<ReadonlyMap<string, Presence>> {
    const found = await this.redis.hgetall(workersOf(campaign))
    return new Map(Object.entries(found).map(([name, text]) => [name, JSON.parse(text)]))
  }

  /** Removes a campaign that is over, with all of its keys. */
  async remove(campaign: string, keys: readonly string[]): Promise<void> {
    await this.redis
      .multi()
      .srem(campaigns, campaign)
      .del(cardOf(campaign), workersOf(campaign), ...keys)
      .exec()
  }
}
