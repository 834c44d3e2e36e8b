/**
 * Makes real servers do what the simulated servers did by themselves (replication, failover,
 * Sentinel announcements), at the same step of the schedule.
 */
import type { Schedule } from '../../contract/results/schedule.ts'
import type { Knows, NodeView, StoreStep } from '../../contract/results/step.ts'
import { isStoreStep, leaderOf, seenOf } from '../../run/store-steps.ts'
import { LiveProblem } from '../environment/problem.ts'
import type { LockStepReplayer } from '../lockstep/lock-step-replayer.ts'
import { primaryName } from '../servers/sentinel-deployment.ts'
import { ClusterSteps, type Seen } from './cluster-steps.ts'
import { HeldCluster } from './held-cluster.ts'
import { type HeldDeployment, neverMs } from './held-deployment.ts'
import type { HeldMachine } from './held-machine.ts'
import { priorities } from './held-sentinels.ts'
import type { HeldStore } from './held-store.ts'
import { looked } from './looked.ts'

interface HeldStepsSetting {
  readonly deployment: HeldDeployment
  readonly store: HeldStore
  readonly replayer: LockStepReplayer
  readonly schedule: Pick<Schedule, 'steps' | 'known'>
  readonly until: number
  failed(error: unknown): void
}

/**
 * The maximum wait for a step. It covers a turn or two of servers and Sentinels on a busy machine,
 * plus a Sentinel's periods.
 */
const timeoutMs = 15_000
/**
 * The maximum wait for an order. A Sentinel that was asked to fail over sends its order within
 * three of its ticks of 100 ms each.
 */
const orderMs = 4_000

class NotComeAbout extends Error {}

type Promotion = Extract<StoreStep, { kind: 'promoted' }>

export class HeldSteps {
  /** For each server, the replication offset after each write of a consumer. */
  readonly #written = new Map<string, number[]>()
  /** The steps that are followed. */
  readonly #steps: Schedule['steps']
  /** The failovers that have begun, by the index of the step. */
  readonly #begun = new Map<number, Promise<void>>()

  /** Steps of a Cluster; null if Sentinels watch the servers. */
  readonly #cluster: ClusterSteps | null

  constructor(private readonly setting: HeldStepsSetting) {
    const { deployment, schedule, until: end } = setting
    this.#steps = schedule.steps.slice(0, end)
    const until = (look: () => Promise<boolean>, what: string | (() => string)) => this.#until(look, what)
    this.#cluster = deployment instanceof HeldCluster ? new ClusterSteps(deployment, until) : null
  }

  /** Queues each step of the store for its turn, at the start of the run. */
  async begin(): Promise<void> {
    const { deployment, replayer, failed } = this.setting
    await deployment.hold()
    await this.#beginCluster()
    for (const [at, { step }] of this.#steps.entries())
      if (isStoreStep(step)) replayer.take(step, () => this.#take(step, at)).catch(failed)
  }

  /**
   * Sets the first views of a Cluster's nodes.
   * @throws LiveProblem if it takes too long, because there is no step yet at which the run could
   * diverge
   */
  async #beginCluster(): Promise<void> {
    try {
      await this.#cluster?.begin(this.setting.schedule.known ?? [])
    } catch (error) {
      if (!(error instanceof NotComeAbout)) throw error
      throw new LiveProblem(
        'the nodes of the Cluster',
        `they do not reach the state of the run, ${error.message}; try again on an idle machine`,
      )
    }
  }

  async #know(step: Knows, at: number): Promise<void> {
    if (seenOf(this.#steps, at) === null) await this.#cluster!.mayKnow(step, this.#seenNext(step, at))
    else await this.#cluster!.know(this.#knowingNext(at))
  }

  /** The node's view when a client next contacts it; null if no client does. */
  #seenNext({ server }: Knows, from: number): NodeView | null {
    for (let at = from + 1; at < this.#steps.length; at++) {
      const { step } = this.#steps[at]!
      if (step.kind === 'knows' && step.server === server && seenOf(this.#steps, at) !== null) return step.view
    }
    return null
  }

  /** The nodes that change their views without another step in between, each once. */
  #knowingNext(from: number): Seen[] {
    const next: Seen[] = []
    // Nodes whose view no client sees are noted, too, because a node changes its view one step at a
    // time.
    const servers = new Set<string>()
    for (let at = from; at < this.#steps.length; at++) {
      const { step } = this.#steps[at]!
      if (step.kind !== 'knows' || servers.has(step.server)) break
      servers.add(step.server)
      const seen = seenOf(this.#steps, at)
      if (seen !== null) next.push({ ...step, seen })
    }
    return next
  }

  /** Called when a consumer's command has changed data of that server. */
  async wrote(server: string): Promise<void> {
    const written = this.#written.get(server) ?? []
    this.#written.set(server, written)
    written.push(await this.setting.deployment.named(server).offset())
  }

  /**
   * Called when a fault has struck the primary. Starts the failover early, because it takes
   * Sentinels a while. Their orders wait.
   */
  disturbed(): void {
    if (this.#cluster !== null) return
    const { replayer, failed } = this.setting
    const at = this.#steps.findIndex(({ step }, at) => at >= replayer.taken && step.kind === 'promoted')
    // A leader that is down gets the request in the step itself, when it may be up again.
    if (at < 0 || !this.#leaderOf(at).up) return
    // A failover that does not begin in time is ignored here, because its step reports it.
    this.#failOver(at).catch((error) => void (error instanceof NotComeAbout || failed(error)))
  }

  /** Takes a step. If the step cannot be reproduced, the run has diverged. */
  async #take(step: StoreStep, at: number): Promise<void> {
    try {
      await this.#bringAbout(step, at)
    } catch (error) {
      if (!(error instanceof NotComeAbout)) throw error
      this.setting.replayer.wentOtherwise(error.message)
    }
  }

  #bringAbout(step: StoreStep, at: number): Promise<void> {
    switch (step.kind) {
      case 'promoted':
        return this.#promote(step, at)
      case 'announces':
        return this.#announce(step)
      case 'follows':
        return this.#cluster?.follow(step) ?? this.#follow(step)
      case 'has-write':
        return this.#replicate(step)
      case 'knows':
        return this.#know(step, at)
    }
  }

  /**
   * Begins the failover, or waits for the one that has begun. After an error, the next call tries
   * again.
   */
  async #failOver(at: number): Promise<void> {
    const begun = this.#begun.get(at) ?? this.#beginFailover(at)
    this.#begun.set(at, begun)
    try {
      await begun
    } catch (error) {
      this.#begun.delete(at)
      throw error
    }
  }

  #leaderOf(at: number): HeldMachine {
    const { deployment, schedule } = this.setting
    const leader = leaderOf(schedule.steps, at)
    if (leader !== null) return deployment.named(leader)
    return deployment.watchers.find(({ up }) => up) ?? deployment.watchers[0]!
  }

  async #beginFailover(at: number): Promise<void> {
    const leader = this.#leaderOf(at)
    await this.#until(() => this.#hasEnded(leader), `${leader.name} has ended the failover before`)
    await this.#until(async () => {
      return (await leader.call('SENTINEL', 'FAILOVER', primaryName)) === 'OK'
    }, `${leader.name} fails over`)
  }

  /**
   * True if no failover is in progress. An earlier failover waits for replicas that are down, so a
   * short timeout makes the Sentinel abandon them.
   */
  async #hasEnded(leader: HeldMachine): Promise<boolean> {
    const fields = (await leader.call('SENTINEL', 'MASTER', primaryName)) as string[]
    const field = (name: string): string => fields[fields.indexOf(name) + 1]!
    const isUnderWay = field('flags').includes('failover_in_progress')
    const timeoutMs = String(isUnderWay ? 1 : neverMs)
    // Avoids a needless SET, because the Sentinel rewrites its file at each one.
    if (field('failover-timeout') !== timeoutMs)
      await leader.call('SENTINEL', 'SET', primaryName, 'failover-timeout', timeoutMs)
    return !isUnderWay
  }

  async #promote({ server }: Promotion, at: number): Promise<void> {
    const { deployment, store } = this.setting
    const promoted = deployment.named(server)
    if (this.#cluster !== null) {
      await this.#cluster.promote({ kind: 'promoted', server })
      return store.promoted(promoted)
    }
    await this.#until(() => this.#obeys(promoted, at), `${server} leads, by ${this.#leaderOf(at).name}`)
    await store.promoted(promoted)
    await this.#preferNext(at)
  }

  /**
   * Returns false if the order has not arrived. It may have been lost with a closed connection, so
   * the Sentinel must be asked for the failover again.
   */
  async #obeys(promoted: HeldMachine, at: number): Promise<boolean> {
    const { rules, watchers } = this.setting.deployment
    const order = { server: promoted.name, follows: null }
    await this.#failOver(at)
    const aware = watchers.filter(({ name }) => rules.mayLearn(name))
    rules.unaware(watchers.map(({ name }) => name))
    rules.allow(order)
    const leads = await looked(async () => (await promoted.info('replication')).get('role') === 'master', orderMs)
    rules.forbid(order)
    if (leads) return true
    this.#begun.delete(at)
    for (const { name } of aware) rules.learns(name)
    return false
  }

  /** Gives the next replica to promote the best priority, by which Sentinels choose. */
  async #preferNext(at: number): Promise<void> {
    const later = this.#steps.slice(at + 1).map(({ step }) => step)
    const promotion = later.find((step) => step.kind === 'promoted')
    if (promotion === undefined) return
    const { nodes } = this.setting.deployment
    for (const node of nodes) {
      if (!node.up || node.frozen || (await this.#priorityOf(node)) === priorities.never) continue
      const priority = node.name === promotion.server ? priorities.first : priorities.others
      await node.call('CONFIG', 'SET', 'replica-priority', String(priority))
    }
  }

  async #priorityOf(node: HeldMachine): Promise<number> {
    const [, priority] = (await node.call('CONFIG', 'GET', 'replica-priority')) as string[]
    return Number(priority)
  }

  async #announce({ watcher, primary }: Extract<StoreStep, { kind: 'announces' }>): Promise<void> {
    const { deployment } = this.setting
    const { port } = deployment.named(primary).announced
    const sentinel = deployment.named(watcher)
    deployment.rules.learns(watcher)
    await this.#until(async () => {
      const [, reported] = (await sentinel.call('SENTINEL', 'GET-MASTER-ADDR-BY-NAME', primaryName)) as string[]
      return Number(reported) === port
    }, `${watcher} tells of ${primary}`)
  }

  async #follow({ server, primary }: Extract<StoreStep, { kind: 'follows' }>): Promise<void> {
    const { deployment } = this.setting
    const order = { server, follows: deployment.named(primary).announced }
    deployment.rules.allow(order)
    await this.#until(async () => {
      const fields = await deployment.named(server).info('replication')
      return fields.get('role') === 'slave' && Number(fields.get('master_port')) === order.follows.port
    }, `${server} follows ${primary}`)
    deployment.rules.forbid(order)
  }

  async #replicate({ server, primary, nth }: Extract<StoreStep, { kind: 'has-write' }>): Promise<void> {
    const { deployment } = this.setting
    const written = this.#written.get(primary) ?? []
    const offset = nth === 0 ? 0 : (written[nth - 1] ?? Number.POSITIVE_INFINITY)
    if (nth > 0) deployment.rules.bare(server, false)
    deployment.rules.limit(server, primary, offset)
    const replica = deployment.named(server)
    await this.#until(async () => {
      const fields = await replica.info('replication')
      return fields.get('master_link_status') === 'up' && Number(fields.get('slave_repl_offset')) >= offset
    }, `${server} has write ${nth}`)
    const beyond = written[nth]
    if (beyond !== undefined && (await replica.offset()) >= beyond)
      this.setting.replayer.wentOtherwise(`${server} has more than write ${nth}`)
  }

  /**
   * Waits until `look` returns true.
   * @throws NotComeAbout if that takes too long
   */
  async #until(look: () => Promise<boolean>, what: string | (() => string)): Promise<void> {
    if (await looked(look, timeoutMs)) return
    throw new NotComeAbout(`not within ${timeoutMs} ms: ${typeof what === 'string' ? what : what()}`)
  }
}
