/**
 * What several servers did by themselves in the simulator, brought about on real ones in its step:
 * a replica gets what it had got there, the Sentinel that led a failover fails over, and each
 * Sentinel learns of it when it did.
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
 * What servers and Sentinels do in a turn or two may take a busy machine so long, and a Sentinel's
 * own periods.
 */
const timeoutMs = 15_000
/**
 * An order of a Sentinel that has been asked to fail over comes within three of its ticks, of a
 * tenth of a second each.
 */
const orderMs = 4_000

class NotComeAbout extends Error {}

type Promotion = Extract<StoreStep, { kind: 'promoted' }>

export class HeldSteps {
  /**
   * By server: where the history of its data stood behind each write that consumers had it make.
   */
  readonly #written = new Map<string, number[]>()
  /** Those that are followed. */
  readonly #steps: Schedule['steps']
  /** By number of its step: a failover that has begun. */
  readonly #begun = new Map<number, Promise<void>>()

  /** Null where Sentinels watch over the servers. */
  readonly #cluster: ClusterSteps | null

  constructor(private readonly setting: HeldStepsSetting) {
    const { deployment, schedule, until: end } = setting
    this.#steps = schedule.steps.slice(0, end)
    const until = (look: () => Promise<boolean>, what: string | (() => string)) => this.#until(look, what)
    this.#cluster = deployment instanceof HeldCluster ? new ClusterSteps(deployment, until) : null
  }

  /** The run begins: each step of the store waits for its turn. */
  async begin(): Promise<void> {
    const { deployment, replayer, failed } = this.setting
    await deployment.hold()
    await this.#beginCluster()
    for (const [at, { step }] of this.#steps.entries())
      if (isStoreStep(step)) replayer.take(step, () => this.#take(step, at)).catch(failed)
  }

  /**
   * @throws LiveProblem where it takes too long: no step of the schedule is there that it could
   * leave
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

  /** What the node believes when a client next speaks to it; null where none does any more. */
  #seenNext({ server }: Knows, from: number): NodeView | null {
    for (let at = from + 1; at < this.#steps.length; at++) {
      const { step } = this.#steps[at]!
      if (step.kind === 'knows' && step.server === server && seenOf(this.#steps, at) !== null) return step.view
    }
    return null
  }

  /** Of nodes that come to believe something with no other step in between: one of each. */
  #knowingNext(from: number): Seen[] {
    const next: Seen[] = []
    // Also of what nobody sees: a node believes one thing at a time.
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

  /** A consumer's command has changed data there. */
  async wrote(server: string): Promise<void> {
    const written = this.#written.get(server) ?? []
    this.#written.set(server, written)
    written.push(await this.setting.deployment.named(server).offset())
  }

  /**
   * Something has befallen the primary. The failover that comes of it takes Sentinels a while, and
   * its orders wait.
   */
  disturbed(): void {
    if (this.#cluster !== null) return
    const { replayer, failed } = this.setting
    const at = this.#steps.findIndex(({ step }, at) => at >= replayer.taken && step.kind === 'promoted')
    // A leader that is down is asked in the step: it may be back by then.
    if (at < 0 || !this.#leaderOf(at).up) return
    // Its step says where it does not come about.
    this.#failOver(at).catch((error) => void (error instanceof NotComeAbout || failed(error)))
  }

  /** Where it does not come about, the run has left its schedule. */
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

  /** One that could not be begun is begun once more. */
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

  /** It waits for replicas that are down, and gives them up where it has no more time for that. */
  async #hasEnded(leader: HeldMachine): Promise<boolean> {
    const fields = (await leader.call('SENTINEL', 'MASTER', primaryName)) as string[]
    const field = (name: string): string => fields[fields.indexOf(name) + 1]!
    const isUnderWay = field('flags').includes('failover_in_progress')
    const timeoutMs = String(isUnderWay ? 1 : neverMs)
    // It writes its file each time.
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
   * False where the order has not come: it went with a connection that has ended since, and the
   * Sentinel is asked once more.
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

  /** Which replica takes the place of another is a matter of their priorities. */
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

  /** @throws NotComeAbout where it takes too long */
  async #until(look: () => Promise<boolean>, what: string | (() => string)): Promise<void> {
    if (await looked(look, timeoutMs)) return
    throw new NotComeAbout(`not within ${timeoutMs} ms: ${typeof what === 'string' ? what : what()}`)
  }
}
