/** One real Redis server as the store of a run. Faults act on it by commands and signals. */
import type { StoreAction, StoreDegradation } from '../../run/actions.ts'
import type { StoreMachine, StorePort } from '../../run/ports.ts'
import type { LiveRecorder } from '../host/recorder.ts'
import type { LiveServer, ServerDegradation } from '../servers/live-server.ts'
import { KeptTurns } from '../servers/turns.ts'

const bySettings = {
  outOfMemory: 'out of memory',
  connectionsExhausted: 'full',
} as const satisfies Partial<Record<StoreDegradation, ServerDegradation>>

export class SingleServerStore implements StorePort {
  readonly #turns = new KeptTurns<ServerDegradation | 'down'>()

  constructor(
    private readonly server: LiveServer,
    private readonly recorder: LiveRecorder,
    /** Called when the server is gone, with all of its connections. */
    private readonly stopped: () => void,
    private readonly name = 'redis',
  ) {}

  get machines(): readonly StoreMachine[] {
    return [this.primary]
  }

  get primary() {
    return { name: this.name, runs: 'redis', up: this.server.up, hasDisk: false } as const
  }

  async carryOut(action: StoreAction): Promise<boolean> {
    switch (action.do) {
      case 'stop-machine':
        return this.#stop()
      case 'start-machine':
        await this.server.startEmpty()
        return this.#turns.end('down')
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
          : this.#leave('evicts', () => this.server.lift('evicts'))
      case 'stall':
        return this.#held('frozen', action.on, async () => void (await this.server.freeze(action.on)))
      case 'degrade':
        return this.#degrade(action.what, action.on)
      case 'forget-machine':
      case 'add-machine':
      case 'remove-machine':
      case 'throttle':
      case 'cut-off':
      case 'rejoin':
        return false
    }
  }

  #degrade(what: StoreDegradation, on: boolean): Promise<boolean> {
    const { server } = this
    if (what === 'busy')
      return this.#held('busy', on, () => (on ? server.occupy() : server.release().then(() => undefined)))
    if (what === 'loading') throw new Error('a live server cannot be made to load: such faults are not armed')
    const degradation = bySettings[what]
    return on
      ? this.#enter(degradation, () => server.impose(degradation))
      : this.#leave(degradation, () => server.lift(degradation))
  }

  /** Does the work in its turn. Returns false if the server is down. */
  async #inTurn(work: (server: LiveServer) => Promise<unknown>): Promise<boolean> {
    if (!this.server.up) return false
    const endTurn = await this.server.turn()
    await work(this.server).finally(endTurn)
    return true
  }

  async #enter(degradation: ServerDegradation, work: () => Promise<void>): Promise<boolean> {
    return this.server.up && this.server.enter(degradation) && (await this.#inTurn(work))
  }

  async #leave(degradation: ServerDegradation, work: () => Promise<void>): Promise<boolean> {
    const endTurn = await this.server.turn()
    this.server.leave(degradation)
    await work().finally(endTurn)
    return true
  }

  /**
   * Applies or heals a degradation during which nothing else can be done to the server, so it keeps
   * its turn until it heals.
   */
  async #held(degradation: ServerDegradation, on: boolean, work: () => Promise<unknown>): Promise<boolean> {
    const { server } = this
    if (!on) {
      server.leave(degradation)
      await work()
      return this.#turns.end(degradation)
    }
    if (!server.up || !server.enter(degradation)) return false
    const endTurn = await server.turn()
    if ((await work()) === false) {
      server.leave(degradation)
      endTurn()
      return false
    }
    this.#turns.keep(degradation, endTurn)
    return true
  }

  async #stop(): Promise<boolean> {
    if (!this.server.up) return false
    this.#turns.keep('down', await this.server.turn())
    const keys = await this.server.keys()
    await this.server.stop()
    this.stopped()
    this.#lost('restart', keys)
    return true
  }

  /**
   * Sets `maxmemory` just below the used memory, so that the server itself chooses the keys to
   * drop.
   */
  async #evict(): Promise<void> {
    const { server } = this
    const before = await server.keys()
    await server.impose('evicts')
    await server.set('maxmemory', String((await server.figure('memory', 'used_memory')) - 100))
    const after = new Set(await server.keys())
    await server.set('maxmemory', '0')
    const gone = before.filter((key) => !after.has(key))
    if (gone.length > 0) this.#lost('eviction', gone)
  }

  #lost(cause: 'restart' | 'flush' | 'eviction', redisKeys: readonly string[]): void {
    this.recorder.fact({ type: 'data-lost', node: this.name, cause, redisKeys })
  }
}
