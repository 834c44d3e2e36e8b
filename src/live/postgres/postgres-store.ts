/** One real PostgreSQL server as a store of a run. Faults act on it by signals and statements. */
import type { StoreAction } from '../../run/actions.ts'
import type { StoreMachine, StorePort } from '../../run/ports.ts'
import { KeptTurns } from '../servers/turns.ts'
import type { LivePostgres } from './live-postgres.ts'

type Degradation = 'down' | 'frozen'

interface StoreEvents {
  /**
   * Called when the server is about to be killed. Its present state is the one that clients know.
   */
  dying(): Promise<void>
  /** Called when the server is gone, with all of its sessions. */
  stopped(): void
  /** Called when the server is up again, with the data that it kept. */
  returned(): Promise<void>
}

export class PostgresStore implements StorePort {
  readonly #turns = new KeptTurns<Degradation>()
  #exhausted = false

  constructor(
    private readonly server: LivePostgres,
    private readonly events: StoreEvents,
  ) {}

  get machines(): readonly StoreMachine[] {
    return [this.primary]
  }

  get primary() {
    return { name: 'postgres', runs: 'postgres', up: this.server.up, hasDisk: true } as const
  }

  async carryOut(action: StoreAction): Promise<boolean> {
    switch (action.do) {
      case 'stop-machine':
        return this.#stop()
      case 'start-machine':
        await this.server.start()
        if (this.server.up) await this.events.returned()
        return this.#turns.end('down')
      case 'stall':
        return action.on ? this.#freeze() : this.#thaw()
      case 'degrade':
        if (action.what === 'connectionsExhausted') return this.#exhaust(action.on)
        break
    }
    throw new Error(`no fault of PostgreSQL that is made live asks for ${action.do}`)
  }

  async #stop(): Promise<boolean> {
    const { server } = this
    if (!server.up) return false
    this.#turns.keep('down', await server.turn())
    await this.events.dying()
    await server.kill()
    this.events.stopped()
    return true
  }

  /**
   * Freezes the server. The fault keeps its turn, because nothing else can be done to the server
   * until it heals.
   */
  async #freeze(): Promise<boolean> {
    const { server } = this
    if (!server.up || server.frozen) return false
    server.frozen = true
    this.#turns.keep('frozen', await server.turn())
    await server.freeze(true)
    return true
  }

  async #thaw(): Promise<boolean> {
    await this.server.freeze(false)
    return this.#turns.end('frozen')
  }

  /** Sets or removes the limit of connections. The limit stays if the server dies meanwhile. */
  async #exhaust(on: boolean): Promise<boolean> {
    const { server } = this
    if (on && (!server.up || this.#exhausted)) return false
    this.#exhausted = on
    const endTurn = await server.turn()
    await server.exhaust(on).finally(endTurn)
    return true
  }
}
