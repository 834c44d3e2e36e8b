/** Handlers that have not answered: whether anything can still make them. */

import type { Connection } from 'virtual-node/network'
import type { VirtualProcess } from 'virtual-node/runtime'
import type { Fact, Hang } from '../../contract/api/history.ts'
import type { StoreSite, StoreWait } from './store-site.ts'
import type { World } from './world-state.ts'

type Unanswered = Extract<Fact, { readonly type: 'unanswered' }>
type Store = Pick<StoreSite, 'waitsOf'>
const nothing: readonly StoreWait[] = []

/** A handler may wait for a timer of so long or longer. */
const longMs = 60_000

/** What a timer or a connection that ended just now leads to is over by then. */
const lookUs = 120_000_000

export class HangingHandlers {
  /** When the run would have been over, and which processes waited for something timed then. */
  #begun: { readonly us: number; readonly timed: ReadonlySet<VirtualProcess> } | null = null

  constructor(
    private readonly world: Pick<World, 'kernel' | 'network' | 'runner'>,
    private readonly stores: readonly Store[],
    /** So long after its call and after the last fault, one that waits for nothing hangs. */
    readonly afterUs: number,
  ) {}

  /** Each open message waits for a handler that hangs, and has for long. */
  get areAll(): boolean {
    const { runner } = this.world
    return runner.isStuck(this.afterUs) && runner.slots.unanswered.every(({ process }) => !this.#mayAnswer(process))
  }

  /** A run that would be over and has handlers that have not answered goes on for a while. */
  isSure(wouldBeOver: boolean): boolean {
    const { kernel, runner } = this.world
    const open = wouldBeOver ? runner.slots.unanswered : []
    if (open.length === 0) {
      this.#begun = null
      return wouldBeOver
    }
    if (this.#begun === null) {
      const timed = open.flatMap(({ process }) => (this.#mayAnswer(process) ? [process] : []))
      this.#begun = { us: kernel.nowUs, timed: new Set(timed) }
      kernel.schedule(lookUs, null, () => {})
    }
    return this.#hasLooked
  }

  get #hasLooked(): boolean {
    return this.#begun !== null && this.world.kernel.nowUs - this.#begun.us >= lookUs
  }

  #wasTimed(process: VirtualProcess): boolean {
    return !this.#hasLooked || this.#begun!.timed.has(process)
  }

  /** `nothingLeft`: in the whole world, nothing is left to happen. */
  facts(nothingLeft: boolean): Unanswered[] {
    const { injection, slots } = this.world.runner
    const isQuiet = injection.allStruck && injection.allHealed && !injection.anyInForce
    return slots.unanswered.map(({ process, deliveryId, receivedUs }) => {
      const sinceUs = Math.max(receivedUs, injection.changedUs)
      const isLong = this.world.kernel.nowUs - sinceUs > this.afterUs
      const isOver = nothingLeft || (isLong && !this.#wasTimed(process))
      const hangs = isQuiet && isOver && process.state === 'running' && !this.#mayAnswer(process)
      const fact = { type: 'unanswered' as const, deliveryId, process: process.name, receivedUs }
      return hangs ? { ...fact, hangs: { ...(nothingLeft ? { nothingLeft } : {}), ...this.#hangOf(process) } } : fact
    })
  }

  #mayAnswer(process: VirtualProcess): boolean {
    return (
      this.#connectionsOf(process).some(({ isTimed }) => isTimed) ||
      this.#waitsOf(process).some(({ endsByItself }) => endsByItself) ||
      [...process.waitingTimers].some((timer) => timer.delayMs >= longMs && !this.#hasShown(timer))
    )
  }

  /** It goes off again and again, and that has not helped. A timeout goes off once. */
  #hasShown({ delayMs, repeat }: { readonly delayMs: number; readonly repeat: boolean }): boolean {
    return repeat && this.world.kernel.wentOffUs.has(delayMs)
  }

  #waitsOf(process: VirtualProcess): StoreWait[] {
    return this.stores.flatMap((store) => store.waitsOf?.(process) ?? nothing)
  }

  #connectionsOf(process: VirtualProcess): Connection[] {
    return [...this.world.network.connections].filter((one) => one.process === process)
  }

  #hangOf(process: VirtualProcess): Hang {
    const waits = this.#waitsOf(process)
    const blockedBy = waits.find(({ command }) => command !== undefined)?.command
    const channels = [...new Set(waits.flatMap(({ channel }) => channel ?? []))]
    const isForgotten = this.#connectionsOf(process).some((one) => one.isForgotten)
    return {
      ...(blockedBy === undefined ? {} : { blockedBy }),
      ...(channels.length === 0 ? {} : { channels }),
      ...(isForgotten ? { forgotten: true as const } : {}),
    }
  }
}
