/**
 * A primary, its replicas and the Sentinels that watch them, in a run that follows a schedule. The
 * Sentinels do not detect failures by themselves. They fail over on request (`SENTINEL FAILOVER`),
 * and then act as usual.
 */
import type { RedisPlan } from '../../contract/api/plan.ts'
import type { RunDirectory } from '../environment/run-directory.ts'
import { allStarted, eventually } from '../servers/asking.ts'
import { primaryName } from '../servers/sentinel-deployment.ts'
import { HeldDeployment, type HeldWish, neverMs } from './held-deployment.ts'
import type { HeldMachine } from './held-machine.ts'
import type { Caller } from './linked-deployment.ts'

/**
 * The priorities of servers for promotion. A server of priority 0 is never promoted. Among the
 * other servers, the one with the lowest number is preferred.
 */
export const priorities = { never: 0, first: 10, others: 100 } as const

export class HeldSentinels extends HeldDeployment {
  #leads: HeldMachine | null = null

  private constructor(binary: string, directory: RunDirectory, redis: RedisPlan) {
    super(binary, directory, redis)
  }

  /**
   * Starts the machines. Resolves when replicas are in sync and Sentinels know all servers.
   * @throws LiveProblem
   */
  static async start(binary: string, directory: RunDirectory, wish: HeldWish): Promise<HeldSentinels> {
    const deployment = new HeldSentinels(binary, directory, wish.redis)
    return HeldDeployment.started(deployment, () => deployment.#start(wish))
  }

  async #start({ redis, first }: HeldWish): Promise<void> {
    const { replicas, neverPromoted = 0 } = redis
    for (let number = 1; number <= 1 + replicas; number++) {
      const name = `redis-${number}`
      const priority =
        number > 1 + replicas - neverPromoted ? priorities.never : name === first ? priorities.first : priorities.others
      const primary = this.nodes[0]?.announced
      this.nodes.push(
        await this.placed(name, 'redis', ({ port }) => [
          ...['save ""', 'appendonly no', 'repl-diskless-sync yes', 'repl-diskless-sync-delay 0'],
          ...['notify-keyspace-events Ex', `replica-priority ${priority}`],
          ...[`replica-announce-ip 127.0.0.1`, `replica-announce-port ${port}`],
          ...(primary === undefined ? [] : [`replicaof ${primary.host} ${primary.port}`]),
        ]),
      )
    }
    await allStarted(this.nodes.map((node) => node.start()))
    await eventually(() => this.#allFollow(), 'the replicas', 'they do not follow their primary')
    await this.#startSentinels(redis.sentinels)
    await eventually(() => this.#allKnow(), 'the Sentinels', 'they do not know all servers')
  }

  async #startSentinels(count: number): Promise<void> {
    const monitored = (...words: (string | number)[]) =>
      `sentinel ${[words[0], primaryName, ...words.slice(1)].join(' ')}`
    const primary = this.nodes[0]!.announced
    for (let at = 0; at < count; at++)
      this.watchers.push(
        await this.placed(`sentinel-${at + 1}`, 'sentinel', ({ port }) => [
          ...['protected-mode no', `sentinel myid ${idOf(at)}`],
          ...['sentinel announce-ip 127.0.0.1', `sentinel announce-port ${port}`],
          monitored('monitor', primary.host, primary.port, Math.floor(count / 2) + 1),
          monitored('down-after-milliseconds', neverMs),
          monitored('failover-timeout', neverMs),
          ...this.nodes.slice(1).map(({ announced: { host, port } }) => monitored('known-replica', host, port)),
        ]),
      )
    await allStarted(this.watchers.map((watcher) => watcher.start()))
  }

  protected override whoSays(words: readonly string[]): Caller | null {
    const [command = '', what = '', value = ''] = words
    // A Sentinel is identified by the beginning of its id in the name of its connection, such as
    // `sentinel-11111111-cmd`.
    const at =
      `${command} ${what}`.toUpperCase() === 'CLIENT SETNAME'
        ? this.watchers.findIndex((_, at) => value.includes(`-${idOf(at).slice(0, 8)}-`))
        : -1
    return at < 0 ? super.whoSays(words) : { name: this.watchers[at]!.name, isSentinel: true }
  }

  async #allFollow(): Promise<boolean> {
    const text = [...(await this.nodes[0]!.info('replication')).values()].join('\n')
    return (text.match(/state=online/g) ?? []).length === this.nodes.length - 1
  }

  async #allKnow(): Promise<boolean> {
    const known = await Promise.all(
      this.watchers.map(async (watcher) => {
        const fields = (await watcher.call('SENTINEL', 'MASTER', primaryName)) as string[]
        const field = (name: string) => Number(fields[fields.indexOf(name) + 1])
        const others = field('num-other-sentinels') === this.watchers.length - 1
        return others && field('num-slaves') === this.nodes.length - 1 && field('info-refresh') > 0
      }),
    )
    return known.every(Boolean)
  }

  hold(): Promise<void> {
    return eventually(() => this.#holdWhereLevel(), 'the replicas', 'they do not get the data of their primary')
  }

  async #holdWhereLevel(): Promise<boolean> {
    const [primary, ...replicas] = this.nodes
    const offset = await primary!.offset()
    const reached = await Promise.all(replicas.map((one) => one.offset()))
    // Waits until replicas have reached the offset that the primary had. The offset itself keeps
    // growing, because Sentinels publish messages.
    if (!reached.every((one) => one >= offset)) return false
    this.rules.hold()
    for (const { name } of replicas) this.rules.limit(name, primary!.name, offset)
    return true
  }

  leaderOf(): HeldMachine {
    return this.#leads ?? this.nodes[0]!
  }

  promoted(server: HeldMachine): void {
    this.#leads = server
  }

  shardOf(): readonly HeldMachine[] {
    return this.nodes
  }

  readonly reported = null
}

/** The id of a Sentinel, which is the same as in the simulator. */
const idOf = (at: number): string => String(at + 1).repeat(40)
