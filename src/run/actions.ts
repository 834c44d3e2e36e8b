/**
 * The actions that a fault requests from the host of the run, as data. The simulated host carries
 * them out at once; the live host takes time. The runner itself controls the broker, poisonous keys
 * and the decision at a boundary, so these need no action.
 */
import type { ProcessRef } from './process-ref.ts'

export type FlowDirection = 'to-node' | 'to-process'

export type LinkDirection = FlowDirection | 'both'

export type ProcessAction =
  | { readonly do: 'kill' | 'pause' | 'resume'; readonly process: ProcessRef }
  /** Starts a new process in an empty slot. */
  | { readonly do: 'start'; readonly slot: number }

export type LinkAction =
  /**
   * Blocks or unblocks traffic between a consumer slot and the nodes (machines of the store,
   * `sink`, `broker`) in one direction or both. Nothing is lost. `block` returns false if all of
   * this traffic was blocked before. `unblock` returns true if all of it passes now, and false if
   * another fault still blocks some of it.
   */
  | {
      readonly do: 'block' | 'unblock'
      readonly slot: number
      readonly nodes: readonly string[]
      readonly direction: LinkDirection
    }
  /** Adds a delay in both directions; a negative `extraMs` removes it. */
  | { readonly do: 'slow'; readonly slot: number; readonly nodes: readonly string[]; readonly extraMs: number }
  /** Resets the process's connections to the store. The host returns false if none is open. */
  | { readonly do: 'reset'; readonly process: ProcessRef }
  /**
   * Makes the process's connections to the store half-open: no data passes on them any more, and
   * neither end is notified. New connections work. The host returns false if no connection is open.
   */
  | { readonly do: 'forget'; readonly process: ProcessRef }
  /** Sets whether host names resolve. If they do not, open connections break. */
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
   * Crashes the machine: connections are reset, new connections are refused, and its memory is
   * lost. If `withDisk`, its disk is lost as well.
   */
  | { readonly do: 'stop-machine'; readonly machine: string; readonly withDisk: boolean }
  /** Crashes the machine and keeps its disk. Sentinels forget every server that is not attached. */
  | { readonly do: 'forget-machine'; readonly machine: string }
  /** Starts the machine empty, as an extra replica of the primary. Sentinels are not notified. */
  | { readonly do: 'add-machine'; readonly machine: string }
  /**
   * Removes the machine and its disk. Sentinels forget it when all other servers are attached
   * again, because SENTINEL RESET removes every server that is not attached.
   */
  | { readonly do: 'remove-machine'; readonly machine: string }
  /** Restarts the machine with the data on its disk. */
  | { readonly do: 'start-machine'; readonly machine: string }
  | { readonly do: 'flush-keys' | 'flush-scripts'; readonly machine: string }
  /** While on, the server may evict keys to save memory, and it evicts some. */
  | { readonly do: 'evict'; readonly machine: string; readonly on: boolean }
  /** While on, the server executes no command; afterwards, it executes all waiting commands. */
  | { readonly do: 'stall'; readonly machine: string; readonly on: boolean }
  /** While on, the server refuses every request. */
  | { readonly do: 'throttle'; readonly machine: string; readonly on: boolean }
  | { readonly do: 'degrade'; readonly machine: string; readonly what: StoreDegradation; readonly on: boolean }
  /**
   * Cuts the machines off from `others` and, if `consumersToo`, from the consumers. The machines
   * still reach each other.
   */
  | {
      readonly do: 'cut-off' | 'rejoin'
      readonly machines: readonly string[]
      readonly others: readonly string[]
      readonly consumersToo: boolean
    }

/**
 * A host returns false for an action that changes nothing because the state already exists. The
 * fault then does not strike, and so cannot heal a state that another fault has caused.
 */
export type Action = ProcessAction | LinkAction | ClockAction | StoreAction
