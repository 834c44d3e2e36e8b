import type { KeyDescription, RedisServer } from 'redis-sim'
import { type Knows, type StoreStep, sameStep } from '../../contract/results/step.ts'
import { changedKeys } from './lost-keys.ts'
import { nodeView } from './node-view.ts'
import type { ScheduleRecorder } from './schedule-recorder.ts'
import { textOf } from './text-of.ts'

interface Server {
  readonly name: string
  readonly address: { readonly host: string }
  readonly server: RedisServer
}

/** The end of a write in the replication history of its server. */
interface Written {
  readonly history: string
  readonly offset: number
}

/**
 * Records actions of servers and Sentinels that no client requested, as steps, from the start of
 * the consumers on.
 */
export class StoreSteps {
  readonly #servers: Server[] = []
  /** By server: the address that it follows; null if it is a primary. */
  readonly #follows = new Map<Server, string | null>()
  readonly #written = new Map<Server, Written[]>()
  /** By replica: its last recorded progress. */
  readonly #reached = new Map<Server, StoreStep>()
  readonly #announced = new Map<string, string>()
  /** By node of a Cluster: its last recorded view. */
  readonly #known = new Map<Server, Knows>()
  /** By server: its data when it died. */
  readonly #atDeath = new Map<Server, readonly KeyDescription[]>()

  constructor(
    private readonly schedule: Pick<ScheduleRecorder, 'take' | 'returned' | 'knew' | 'deploys' | 'hasBegun'>,
    /** The number of shards, in a Cluster. */
    private readonly shards: number,
  ) {}

  add(server: Server): void {
    this.#servers.push(server)
    this.#written.set(server, [])
    this.started(server)
  }

  /** Called when the run is over; see `VirtualProcess.dispose`. */
  dispose(): void {
    this.#servers.length = 0
    for (const known of [this.#follows, this.#written, this.#reached, this.#atDeath, this.#known]) known.clear()
  }

  died(server: Server): void {
    this.#atDeath.set(server, server.server.describeKeys())
  }

  /** The server has loaded the data that its disk kept. */
  returned(server: Server): void {
    const before = this.#atDeath.get(server) ?? []
    const now = server.server.describeKeys()
    const changed = new Set(changedKeys(now, before))
    const kept = now.filter(({ key }) => !changed.has(key)).map(({ key }) => textOf(key))
    this.schedule.returned(server.name, kept, changed.size > 0)
  }

  /** The server starts with the role of its configuration. */
  started(server: Server): void {
    this.#follows.set(server, followedBy(server))
    this.#reached.delete(server)
  }

  /** A command of another machine was executed. `work`: the consequences of a change of role. */
  roleMayHaveChanged(server: Server, work: () => void): void {
    const before = this.#follows.get(server)
    const follows = followedBy(server)
    if (follows === before) return work()
    this.#follows.set(server, follows)
    this.#reached.delete(server)
    const { name } = server
    this.#take(
      follows === null
        ? { kind: 'promoted', server: name }
        : { kind: 'follows', server: name, primary: this.#nameOf(follows) },
      work,
    )
  }

  /** A command of a consumer, or of the deployment, has changed data of the server. */
  wrote(server: Server): void {
    if (!this.schedule.hasBegun) return this.schedule.deploys(server.name)
    const { replication, replicationOffset: offset } = server.server
    this.#written.get(server)!.push({ history: replication.id, offset })
  }

  /**
   * A replica has more of its primary's data than before. `attached`: the replication link has just
   * been established.
   */
  advanced(server: Server, attached: boolean): void {
    const follows = followedBy(server)
    const primary = this.#servers.find(({ address }) => address.host === follows)
    if (primary === undefined) return
    const none = { kind: 'has-write', server: server.name, primary: primary.name, nth: 0 } as const
    const step = { ...none, nth: this.#reachedOf(server, primary) }
    const before = this.#reached.get(server) ?? none
    this.#reached.set(server, step)
    if (attached || !sameStep(step, before)) this.#take(step, () => {})
  }

  /**
   * How many of the primary's writes the replica has. The replica received writes under earlier
   * replication ids as part of a data set.
   */
  #reachedOf({ server: { replication, replicationOffset } }: Server, primary: Server): number {
    const written = this.#written.get(primary)!
    const [from, to] = [
      written.findIndex(({ history }) => history === replication.id),
      written.findLastIndex(({ history, offset }) => history === replication.id && offset <= replicationOffset),
    ]
    if (from >= 0) return Math.max(from, to + 1)
    return primary.server.replication.id === replication.id ? written.length : 0
  }

  /** A Sentinel announces the primary at the address to its clients. */
  announces(sentinel: string, host: string | undefined): void {
    const primary = host === undefined ? undefined : this.#nameOf(host)
    if (primary === undefined || this.#announced.get(sentinel) === primary) return
    this.#announced.set(sentinel, primary)
    this.#take({ kind: 'announces', watcher: sentinel, primary }, () => {})
  }

  /** A node of a Cluster has had a turn. */
  hadTurn(server: Server): void {
    const { cluster } = server.server
    if (cluster === null) return
    const view = nodeView(cluster, this.shards, (host) => this.#nameOf(host))
    const step: Knows = { kind: 'knows', server: server.name, view }
    if (sameStep(step, this.#known.get(server))) return
    this.#known.set(server, step)
    if (this.schedule.hasBegun) this.schedule.take(step, () => {})
    else this.schedule.knew(step)
  }

  #nameOf(host: string): string {
    return this.#servers.find(({ address }) => address.host === host)?.name ?? host
  }

  #take(step: StoreStep, work: () => void): void {
    if (this.schedule.hasBegun) this.schedule.take(step, work)
    else work()
  }
}

const followedBy = ({ server }: Server): string | null => server.replication.link?.host ?? null
