/**
 * Reports the run in which a layer blocks its thread forever. With `while (true)`, timers of that
 * thread cannot fire, so a separate thread watches the status table. A thread of a pool is
 * terminated, and the campaign continues. If the main thread is blocked, the process ends with the
 * results so far.
 */

import fs from 'node:fs'
import path from 'node:path'
import { fileURLToPath } from 'node:url'
import { Worker } from 'node:worker_threads'
import { within } from 'virtual-node/runtime'
import { EndlessTurn } from '../campaign/play/endless-turn.ts'
import { type ExitCode, exitCodes } from '../contract/api/exit-codes.ts'
import { launcher } from '../contract/results/launcher.ts'
import { compiledFolder } from './compiled.ts'
import { lookAt, type StatusTable, type UnderWay } from './status-table.ts'

/**
 * The limits after which a run counts as blocked. A run takes milliseconds, and the longest takes
 * some seconds, so the default limits are enough even on a busy machine.
 */
export interface Timeouts {
  readonly wallMs: number
  /** The CPU time of the process, divided by the number of runs in progress. */
  readonly cpuMs: number
}
export const usual: Timeouts = { wallMs: 60_000, cpuMs: 30_000 }

export interface WatchdogData {
  readonly statusTable: StatusTable
  readonly timeouts: Timeouts
  readonly launcher: string
  readonly json: boolean
  readonly end: string
}

const fromSources = fileURLToPath(new URL('watchdog-thread.mjs', import.meta.url))

/**
 * The name of the global function that the watchdog calls in the main thread. The call interrupts
 * the code that is running there.
 */
const end = 'onceproof.end'

/**
 * Reports the results so far. `happened`: the problem in one line. `byLayer`: true if the layer
 * blocks, false if the harness blocks. Returns the exit code; undefined if no run was played.
 */
export type LastWords = (happened: string, byLayer: boolean) => ExitCode | undefined

/** By number of the thread: the controller that aborts the current task and ends the thread. */
export type PoolTasks = Map<number, AbortController>

/** The watchdog's message about a blocked thread of a pool. */
export interface StuckTask extends UnderWay {
  readonly slot: number
  readonly culprit: string
  readonly remedy: string
}

interface Watching {
  readonly timeouts?: Timeouts
  readonly poolTasks?: PoolTasks
}

/** Watches until the process ends, or the returned function is called. */
export function startWatchdog(
  statusTable: StatusTable,
  json: boolean,
  lastWords: LastWords,
  { timeouts = usual, poolTasks = new Map() }: Watching = {},
): () => void {
  const exit = process.exit.bind(process)
  // A turn of a simulated process may be in progress. `within(null, …)` runs this code outside of
  // that process.
  const endIt = (happened: string, byLayer: boolean): void =>
    within(null, () => {
      let code: ExitCode | undefined
      try {
        code = lastWords(happened, byLayer)
      } catch (error) {
        fs.writeSync(2, `onceproof: this is a bug of onceproof: ${(error as Error).stack}\n`)
      }
      fs.closeSync(2) // Otherwise Node would print that it waits for a debugger.
      exit(byLayer ? (code ?? exitCodes.usage) : exitCodes.harness)
    })
  Object.defineProperty(globalThis, Symbol.for(end), { value: endIt, configurable: true })
  const workerData: WatchdogData = { statusTable, timeouts, launcher: launcher(), json, end }
  const file = compiledFolder === null ? fromSources : path.join(compiledFolder, 'src.cli.watchdog-task.js')
  const thread = new Worker(file, { workerData, stdout: false, stderr: false })
  thread.on('message', ({ slot, beat, thread: stuck, address, culprit, remedy }: StuckTask) => {
    // The run may have ended in the meantime.
    if (lookAt(statusTable, slot)?.beat !== beat) return
    poolTasks.get(stuck)?.abort(new EndlessTurn(culprit, remedy, address.run))
  })
  thread.unref()
  return () => void thread.terminate()
}
