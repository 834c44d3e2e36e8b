import { assert } from 'virtual-node/assert'
import type { ChoiceStream, MachineClock } from 'virtual-node/kernel'
import type { StoreMachine } from '../../run/ports.ts'
import type { World } from './world-state.ts'

/** Where a machine is, by its name and on the network. */
export interface MachineAddress {
  readonly name: string
  readonly host: string
  readonly port: number
}

/**
 * A machine with one server of a store on it, whichever it is: it stalls, it dies. What a dead one
 * had planned never happens.
 */
export abstract class ServerMachine implements StoreMachine {
  abstract readonly runs: StoreMachine['runs']
  up = true
  /** What came while the server executed nothing; null while it executes. */
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
   * The process is gone, with what it had planned; `leave` lets go of those it was connected to.
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

  /** Its process is started again. */
  protected beginLife(): void {
    assert(!this.up, 'only a machine that is down starts')
    this.up = true
  }

  stall(on: boolean): boolean {
    const waited = this.#waiting
    if (on === (waited !== null)) return false
    this.turns()
    this.#waiting = on ? [] : null
    // What is executed now may bring the next stall about.
    for (const work of waited ?? []) this.inTurn(work)
    return true
  }

  /** The server is about to stall, or to go on. */
  protected turns(): void {}

  /** Does the server's next piece of work: now, or when it works again. */
  inTurn(work: () => void): void {
    if (this.#waiting === null) work()
    else this.#waiting.push(work)
  }

  get stalled(): boolean {
    return this.#waiting !== null
  }

  // What the server stands on.

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

  /** Which of its lives it is in. */
  protected get life(): number {
    return this.#lives
  }

  /** Does it in turn, unless the process that wanted it has died meanwhile. */
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
