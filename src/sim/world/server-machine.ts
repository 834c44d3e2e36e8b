import { assert } from 'virtual-node/assert'
import type { ChoiceStream, MachineClock } from 'virtual-node/kernel'
import type { StoreMachine } from '../../run/ports.ts'
import type { World } from './world-state.ts'

/** The name of a machine and its place on the network. */
export interface MachineAddress {
  readonly name: string
  readonly host: string
  readonly port: number
}

/**
 * A machine that runs one server of any store, and can stall and die. Events that a dead machine
 * had scheduled never happen.
 */
export abstract class ServerMachine implements StoreMachine {
  abstract readonly runs: StoreMachine['runs']
  up = true
  /** Work that arrived during a stall; null while the server executes. */
  #waiting: (() => void)[] | null = null
  #lives = 1
  protected readonly choices: ChoiceStream

  constructor(
    protected readonly world: World,
    readonly address: MachineAddress,
    private readonly clock: MachineClock,
  ) {
    this.choices = world.kernel.choices.stream(`node:${address.name}`)
  }

  get name(): string {
    return this.address.name
  }

  /**
   * The server process dies, and its scheduled events are dropped. `leave` closes its connections.
   */
  protected endLife(leave: () => void): void {
    assert(this.up, 'only a machine that is up dies')
    this.up = false
    this.#lives++
    const stalled = this.#waiting !== null
    this.#waiting = null
    leave()
    if (stalled) this.#waiting = []
  }

  /** Restarts its process. */
  protected beginLife(): void {
    assert(!this.up, 'only a machine that is down starts')
    this.up = true
  }

  stall(on: boolean): boolean {
    const waited = this.#waiting
    if (on === (waited !== null)) return false
    this.turns()
    this.#waiting = on ? [] : null
    // The work that waited may cause the next stall.
    for (const work of waited ?? []) this.inTurn(work)
    return true
  }

  /** The server is about to stall, or to continue. */
  protected turns(): void {}

  /** Does the server's next piece of work: now, or when the stall is over. */
  inTurn(work: () => void): void {
    if (this.#waiting === null) work()
    else this.#waiting.push(work)
  }

  get stalled(): boolean {
    return this.#waiting !== null
  }

  // The host of the server.

  nowUs(): number {
    return this.clock.wallUs()
  }

  monotonicUs(): number {
    return this.clock.monotonicUs()
  }

  schedule(delayUs: number, callback: () => void): () => void {
    let wanted = true
    const life = this.#lives
    this.world.kernel.schedule(this.clock.worldDelayUs(delayUs), null, () => {
      if (wanted) this.inLife(life, () => wanted && callback())
    })
    return () => {
      wanted = false
    }
  }

  /** The number of its current life. */
  protected get life(): number {
    return this.#lives
  }

  /** Does the work in turn, unless the process that requested it has died before that. */
  protected inLife(life: number, work: () => void): void {
    if (this.#waiting === null) {
      if (life === this.#lives) work()
    } else
      this.#waiting.push(() => {
        if (life === this.#lives) work()
      })
  }

  unsupported(what: string): void {
    this.world.unsupported(what)
  }
}
