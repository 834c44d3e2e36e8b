/**
 * Requests of faults to the run's host, as data. The simulated host carries them out at once; the
 * live one takes time. The parts that the runner controls itself (the broker, poisoned keys, the
 * decision at a boundary) need no action.
 */
import type { ProcessRef } from './process-ref.ts'

export type FlowDirection = 'to-node' | 'to-process'

export type LinkDirection = FlowDirection | 'both'

export type ProcessAction =
  | { readonly do: 'kill' | 'pause' | 'resume'; readonly process: ProcessRef }
  /** Starts a successor in an empty slot. */
  | { readonly do: 'start'; readonly slot: number }

export type LinkAction =
  /**
   * Blocks or unblocks traffic between a consumer slot and the nodes (machines of the store,
   * `sink`, `broker`) in that direction. Nothing is lost. `block` returns false if all of it was
   * blocked before. `unblock` returns whether all of it is free now: another fault may still block
   * a part.
   */
  | {
      readonly do: 'block' | 'unblock'
      readonly slot: number
      readonly nodes: readonly string[]
      readonly direction: LinkDirection
    }
  /** Adds a delay in both directions; negative to remove it. */
  | { readonly do: 'slow'; readonly slot: number; readonly nodes: readonly string[]; readonly extraMs: number }
  /** Resets the process's connections to the store; false if none is open. */
  | { readonly do: 'reset'; readonly process: ProcessRef }
  /**
   * Makes the process's connections to the store half-open: nothing passes on them any more, and
   * neither end is notified. New connections work. False if none is open.
   */
  | { readonly do: 'forget'; readonly process: ProcessRef }
  /** Whether host names resolve from now on. If not, open connections break. */
  | { readonly do: 'resolve-names'; readonly on: boolean }

/** `machine`: a consumer slot, or -1 for the store's machine. */
export type ClockAction =
  | { readonly do: 'step-clock'; readonly machine: number; readonly byMs: number }
  /** By how many percent the clock runs too fast; 0 for its normal pace. */
  | { readonly do: 'drift-clock'; readonly machine: number; readonly percent: number }
  | { readonly do: 'freeze-clock'; readonly machine: number; readonly on: boolean }

export type StoreDegradation = 'outOfMemory' | 'loading' | 'busy' | 'connectionsExhausted'

/** `machine`: the name of one of the store's machines. */
export type StoreAction =
  /**
   * Crashes it: connections are reset, new ones are refused, and the memory is lost; with
   * `withDisk`, its disk is lost too.
   */
  | { readonly do: 'stop-machine'; readonly machine: string; readonly withDisk: boolean }
  /** Crashes it and keeps its disk; Sentinels forget every server that is not attached. */
  | { readonly do: 'forget-machine'; readonly machine: string }
  /** Starts it empty, as an extra replica of the primary. Sentinels are not notified. */
  | { readonly do: 'add-machine'; readonly machine: string }
  /**
   * Removes it and its disk. Sentinels forget it once all other servers are attached again, because
   * SENTINEL RESET removes every server that is not attached.
   */
  | { readonly do: 'remove-machine'; readonly machine: string }
  /** Restarts it with the data on its disk. */
  | { readonly do: 'start-machine'; readonly machine: string }
  | { readonly do: 'flush-keys' | 'flush-scripts'; readonly machine: string }
  /** It may evict keys to save memory, and evicts some. */
  | { readonly do: 'evict'; readonly machine: string; readonly on: boolean }
  /** While on, it executes nothing; afterwards, it executes all that has waited. */
  | { readonly do: 'stall'; readonly machine: string; readonly on: boolean }
  /** It refuses every request while this is on. */
  | { readonly do: 'throttle'; readonly machine: string; readonly on: boolean }
  | { readonly do: 'degrade'; readonly machine: string; readonly what: StoreDegradation; readonly on: boolean }
  /**
   * Cuts the machines off from `others`, and if `consumersToo`, from the consumers. They still
   * reach each other.
   */
  | {
      readonly do: 'cut-off' | 'rejoin'
      readonly machines: readonly string[]
      readonly others: readonly string[]
      readonly consumersToo: boolean
    }

/**
 * Each action returns false if there was nothing to do because the state was already so: a fault
 * must not heal the effect of another one.
 */
export type Action = ProcessAction | LinkAction | ClockAction | StoreAction
