/**
 * Lists the campaigns, and the machines that work for them, in a few Redis keys beside the queues.
 * All these keys expire, so that a campaign whose machine was killed leaves nothing behind.
 */
import type { Redis } from 'ioredis'
import type { Identity } from './identity.ts'

export interface Presence {
  /** The number of threads; 0 for a machine that refused the campaign. */
  readonly workers: number
  readonly refused: string | null
}

const campaigns = 'onceproof:campaigns'
/**
 * How long a campaign's entry lives without renewal, in milliseconds. A campaign must survive an
 * outage of the queue of one minute.
 */
const cardMs = 90_000
/** How long jobs live after the machine that added them has died, in milliseconds. */
const keptMs = 600_000

const cardOf = (campaign: string) => `onceproof:card:${campaign}`
const workersOf = (campaign: string) => `onceproof:workers:${campaign}`

/** The prefix of the keys of all queues, for BullMQ. */
export const queuePrefix = 'onceproof:queue'

export class Registry {
  constructor(private readonly redis: Redis) {}

  /** Renews a campaign's entry and the expiry of its keys. */
  async announce(campaign: string, identity: Identity, keys: readonly string[]): Promise<void> {
    const said = this.redis.multi()
    said.set(cardOf(campaign), JSON.stringify(identity), 'PX', cardMs)
    said.sadd(campaigns, campaign)
    for (const key of [campaigns, workersOf(campaign), ...keys]) said.pexpire(key, keptMs)
    await said.exec()
  }

  /** Live campaigns, and those whose machine has died. */
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

  /** Removes a finished campaign with all of its keys. */
  async remove(campaign: string, keys: readonly string[]): Promise<void> {
    await this.redis
      .multi()
      .srem(campaigns, campaign)
      .del(cardOf(campaign), workersOf(campaign), ...keys)
      .exec()
  }
}
