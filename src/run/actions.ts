/**
 * What a fault asks of the run's host, as data: the simulated host carries it out at once, the live
 * one takes its time. What the runner itself owns (the broker, poisoned keys, the decision at a
 * boundary) needs no action.
 */
import type { ProcessRef } from './process-ref.ts'

export type FlowDirection = 'to-node' | 'to-process'

export type LinkDirection = FlowDirection | 'both'

export type ProcessAction =
  | { readonly do: 'kill' | 'pause' | 'resume'; readonly process: ProcessRef }
  /** A successor starts in an empty slot. */
  | { readonly do: 'start'; readonly slot: number }

export type LinkAction =
  /**
   * Nothing passes between a consumer slot and those nodes (machines of the store, `sink`,
   * `broker`) in that direction, and nothing is lost. `block` answers false where all of it was
   * blocked before; `unblock`, whether all of it is free now: another fault may block it too.
   */
  | {
      readonly do: 'block' | 'unblock'
      readonly slot: number
      readonly nodes: readonly string[]
      readonly direction: LinkDirection
    }
  /** Everything takes that much longer both ways; negative to take it back. */
  | { readonly do: 'slow'; readonly slot: number; readonly nodes: readonly string[]; readonly extraMs: number }
  /** Resets the process's connections to the store; false where none is open. */
  | { readonly do: 'reset'; readonly process: ProcessRef }
  /**
   * What lies between forgets the process's connections to the store: nothing passes on them any
   * more, and neither end is told. New ones work. False where none is open.
   */
  | { readonly do: 'forget'; readonly process: ProcessRef }
  /** Whether host names resolve from now on; open connections break where they do not. */
  | { readonly do: 'resolve-names'; readonly on: boolean }

/** `machine`: a consumer slot, or -1 for the store's machine. */
export type ClockAction =
  | { readonly do: 'step-clock'; readonly machine: number; readonly byMs: number }
  /** The clock runs that much too fast; 0 for its own pace. */
  | { readonly do: 'drift-clock'; readonly machine: number; readonly percent: number }
  | { readonly do: 'freeze-clock'; readonly machine: number; readonly on: boolean }

export type StoreDegradation = 'outOfMemory' | 'loading' | 'busy' | 'connectionsExhausted'

/** `machine`: the name of one of the store's machines. */
export type StoreAction =
  /**
   * It dies: connections are reset, new ones refused, what is in memory gone; with its disk, what
   * is on it too.
   */
  | { readonly do: 'stop-machine'; readonly machine: string; readonly withDisk: boolean }
  /** It dies, its disk stays, and those that watch the store forget what is not attached. */
  | { readonly do: 'forget-machine'; readonly machine: string }
  /**
   * It starts with nothing, as one more replica of the primary. Nobody that watches the store is
   * told of it.
   */
  | { readonly do: 'add-machine'; readonly machine: string }
  /**
   * It dies with its disk. Those that watch the store forget it once all others are in their places
   * again: what is not attached when they are told to forget, they would forget too.
   */
  | { readonly do: 'remove-machine'; readonly machine: string }
  /** It comes back with what its disk has kept. */
  | { readonly do: 'start-machine'; readonly machine: string }
  | { readonly do: 'flush-keys' | 'flush-scripts'; readonly machine: string }
  /** It may drop keys to save memory, and drops some. */
  | { readonly do: 'evict'; readonly machine: string; readonly on: boolean }
  /** It executes nothing while that is on, and everything afterwards. */
  | { readonly do: 'stall'; readonly machine: string; readonly on: boolean }
  /** It refuses every request while that is on. */
  | { readonly do: 'throttle'; readonly machine: string; readonly on: boolean }
  | { readonly do: 'degrade'; readonly machine: string; readonly what: StoreDegradation; readonly on: boolean }
  /**
   * The machines, which still reach each other, are cut off from those others, and from the
   * consumers or not.
   */
  | {
      readonly do: 'cut-off' | 'rejoin'
      readonly machines: readonly string[]
      readonly others: readonly string[]
      readonly consumersToo: boolean
    }

/**
 * Each answers false where there was nothing to do: it is so already. A fault must not heal what
 * another one did.
 */
export type Action = ProcessAction | LinkAction | ClockAction | StoreAction
