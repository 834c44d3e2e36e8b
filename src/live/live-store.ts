/** Real Redis servers as the store of a run: what faults do to them, by commands, signals and disabled links. */
import type { StoreAction, StoreTrouble } from '../run/actions.ts'
import type { StoreMachine, StorePort } from '../run/ports.ts'
import { recordsOf, tellLostRecords } from './lost-records.ts'
import type { LiveRecorder } from './recorder.ts'
import type { LiveServer, Trouble } from './servers/live-server.ts'
import type { SentinelDeployment } from './servers/sentinel-deployment.ts'

type Node = SentinelDeployment['nodes'][number]

const infoFigure = (info: unknown, name: string): number =>
  Number(new RegExp(`${name}:(\\d+)`).exec(String(info))?.[1] ?? '0')

const troubles = {
  outOfMemory: 'out of memory',
  busy: 'busy',
  connectionsExhausted: 'full',
} as const satisfies Partial<Record<StoreTrouble, Trouble>>

export class LiveStore implements StorePort {
  /** The turns of what takes a server's commands away, until that has healed. */
  readonly #turns = new Map<string, () => void>()
  /** What a primary held that was killed, until it is back. */
  readonly #beforeDeath = new Map<Node, ReadonlyMap<string, string>>()
  #primaryName: string

  constructor(
    private readonly server: LiveServer,
    /** Where Sentinels watch several servers. */
    private readonly sentinels: SentinelDeployment | null,
    private readonly recorder: LiveRecorder,
  ) {
    this.#primaryName = sentinels?.nodes[0]?.name ?? 'redis'
  }

  get machines(): readonly StoreMachine[] {
    if (this.sentinels === null) return [this.primary]
    return this.sentinels.nodes.map(({ name }) => ({ name, runs: 'redis', up: true }))
  }

  get primary() {
    const up = this.sentinels === null ? this.server.up : true
    return { name: this.#primaryName, runs: 'redis' as const, up, hasDisk: false }
  }

  /** The Sentinels announced another primary. */
  promoted(node: string): void {
    this.#primaryName = node
  }

  async carryOut(action: StoreAction): Promise<boolean> {
    switch (action.do) {
      case 'stop-machine':
        return this.sentinels === null ? this.#stop() : this.#killPrimary(this.sentinels, this.#node(action.machine))
      case 'start-machine':
        return this.sentinels === null
          ? this.#startEmpty()
          : this.#startAgain(this.sentinels, this.#node(action.machine))
      case 'flush-keys':
        return this.#inTurn(async (server) => {
          const keys = await server.keys()
          await server.call('FLUSHALL')
          this.#lost('flush', keys)
        })
      case 'flush-scripts':
        return this.#inTurn((server) => server.call('SCRIPT', 'FLUSH'))
      case 'evict':
        return action.on
          ? this.#enter('evicts', () => this.#evict())
          : this.#leave('evicts', () => this.#stopEvicting())
      case 'stall':
        return this.#held('frozen', action.on, async () => void (await this.server.freeze(action.on)))
      case 'trouble':
        return this.#trouble(action.what, action.on)
      case 'cut-off':
      case 'rejoin':
        return this.#cutOff(action.do === 'cut-off', action.machines[0]!)
    }
  }

  #trouble(what: StoreTrouble, on: boolean): Promise<boolean> {
    const { server } = this
    if (what === 'busy')
      return this.#held('busy', on, () => (on ? server.occupy() : server.release().then(() => undefined)))
    if (what === 'loading') throw new Error('a live server cannot be told to load: such faults are not armed')
    const set = (name: string, value: string) => server.call('CONFIG', 'SET', name, value)
    const strike = async () => {
      if (what === 'outOfMemory') return void (await set('maxmemory', '1'))
      // No client more than there are now.
      const clients = infoFigure(await server.call('INFO', 'clients'), 'connected_clients')
      await set('maxclients', String(clients))
    }
    const heal = async () => void (await (what === 'outOfMemory' ? set('maxmemory', '0') : set('maxclients', '10000')))
    return on ? this.#enter(troubles[what], strike) : this.#leave(troubles[what], heal)
  }

  /** Does it when it is its turn; false where the server is down. */
  async #inTurn(work: (server: LiveServer) => Promise<unknown>): Promise<boolean> {
    if (!this.server.up) return false
    const endTurn = await this.server.turn()
    await work(this.server)
    endTurn()
    return true
  }

  async #enter(trouble: Trouble, work: () => Promise<void>): Promise<boolean> {
    return this.server.up && this.server.enter(trouble) && (await this.#inTurn(work))
  }

  async #leave(trouble: Trouble, work: () => Promise<void>): Promise<boolean> {
    const endTurn = await this.server.turn()
    this.server.leave(trouble)
    await work()
    endTurn()
    return true
  }

  /** Until it heals, nothing else can be done to the server: it keeps its turn. */
  async #held(trouble: Trouble, on: boolean, work: () => Promise<unknown>): Promise<boolean> {
    const { server } = this
    if (!on) {
      server.leave(trouble)
      await work()
      this.#turns.get(trouble)?.()
      return true
    }
    if (!server.up || !server.enter(trouble)) return false
    const endTurn = await server.turn()
    if ((await work()) === false) {
      server.leave(trouble)
      endTurn()
      return false
    }
    this.#turns.set(trouble, endTurn)
    return true
  }

  async #stop(): Promise<boolean> {
    if (!this.server.up) return false
    this.#turns.set('down', await this.server.turn())
    const keys = await this.server.keys()
    await this.server.stop()
    this.#lost('restart', keys)
    return true
  }

  async #startEmpty(): Promise<boolean> {
    await this.server.startEmpty()
    this.#turns.get('down')?.()
    return true
  }

  async #killPrimary(sentinels: SentinelDeployment, node: Node): Promise<boolean> {
    if (node !== (await sentinels.primary())) return false
    this.#beforeDeath.set(node, await recordsOf(node))
    await node.machine.kill()
    return true
  }

  /**
   * It starts without data, as a replica of the new primary: an operator would not wait for the Sentinels, which take ten
   * seconds to make it one.
   */
  async #startAgain(sentinels: SentinelDeployment, node: Node): Promise<boolean> {
    const before = this.#beforeDeath.get(node) ?? new Map()
    await tellLostRecords(sentinels, this.recorder, { before, old: node, cause: 'failover' })
    await node.machine.start()
    await sentinels.demote(node)
    return true
  }

  /** Replicas and Sentinels lose it; consumers still reach it, and it still takes their writes. */
  async #cutOff(hidden: boolean, name: string): Promise<boolean> {
    const { sentinels } = this
    if (sentinels === null) return false
    const node = this.#node(name)
    if (!hidden)
      await tellLostRecords(sentinels, this.recorder, {
        before: await recordsOf(node),
        old: node,
        cause: 'split-brain',
      })
    await sentinels.hide(node, hidden)
    if (!hidden) await sentinels.demote(node)
    return true
  }

  #node(name: string): Node {
    const node = this.sentinels?.nodes.find((one) => one.name === name)
    if (node === undefined) throw new Error(`no server of the deployment is called ${name}`)
    return node
  }

  /** `maxmemory` goes just below what is used, so that the server itself chooses what to drop. */
  async #evict(): Promise<void> {
    const { server } = this
    const before = await server.keys()
    await server.call('CONFIG', 'SET', 'maxmemory-policy', 'allkeys-random')
    const used = infoFigure(await server.call('INFO', 'memory'), 'used_memory')
    await server.call('CONFIG', 'SET', 'maxmemory', String(used - 100))
    const after = new Set(await server.keys())
    await server.call('CONFIG', 'SET', 'maxmemory', '0')
    const gone = before.filter((key) => !after.has(key))
    if (gone.length > 0) this.#lost('eviction', gone)
  }

  async #stopEvicting(): Promise<void> {
    await this.server.call('CONFIG', 'SET', 'maxmemory-policy', 'noeviction')
  }

  #lost(cause: 'restart' | 'flush' | 'eviction', redisKeys: readonly string[]): void {
    this.recorder.fact({ type: 'data-lost', node: 'redis', cause, redisKeys })
  }
}
