/**
 * Names the run in which a layer never ends its turn. `while (true)` blocks the thread that plays
 * it, so that no timer there could: a thread of its own watches the status table. A thread of a
 * pool is ended, and the campaign goes on. If it is the main thread, the process ends with what
 * was found so far.
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
 * A run takes milliseconds, and the longest some seconds: on a busy machine too, it has had enough
 * by then.
 */
export interface Timeouts {
  readonly wallMs: number
  /** Of the processor, for each run that is under way. */
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

/** What the watchdog calls in the main thread, in the middle of whatever runs there. */
const end = 'onceproof.end'

/**
 * Reports what was found. `happened`: in one line. `byLayer`: the turn is the layer's, and not the
 * harness's. Answers the exit code if something was played.
 */
export type LastWords = (happened: string, byLayer: boolean) => ExitCode | undefined

/** What ends the task under way, and its thread; by the number of the thread. */
export type PoolTasks = Map<number, AbortController>

/** What the watchdog's thread says of a thread of a pool. */
export interface StuckTask extends UnderWay {
  readonly slot: number
  readonly culprit: string
  readonly remedy: string
}

interface Watching {
  readonly timeouts?: Timeouts
  readonly poolTasks?: PoolTasks
}

/** Watches until the process ends, or what it answers is called. */
export function startWatchdog(
  statusTable: StatusTable,
  json: boolean,
  lastWords: LastWords,
  { timeouts = usual, poolTasks = new Map() }: Watching = {},
): () => void {
  const exit = process.exit.bind(process)
  // A turn may be under way, which nothing of this belongs to.
  const endIt = (happened: string, byLayer: boolean): void =>
    within(null, () => {
      let code: ExitCode | undefined
      try {
        code = lastWords(happened, byLayer)
      } catch (error) {
        fs.writeSync(2, `onceproof: this is a bug of onceproof: ${(error as Error).stack}\n`)
      }
      fs.closeSync(2) // Node would write there that it waits for a debugger.
      exit(byLayer ? (code ?? exitCodes.usage) : exitCodes.harness)
    })
  Object.defineProperty(globalThis, Symbol.for(end), { value: endIt, configurable: true })
  const workerData: WatchdogData = { statusTable, timeouts, launcher: launcher(), json, end }
  const file = compiledFolder === null ? fromSources : path.join(compiledFolder, 'src.cli.watchdog-task.js')
  const thread = new Worker(file, { workerData, stdout: false, stderr: false })
  thread.on('message', ({ slot, beat, thread: stuck, address, culprit, remedy }: StuckTask) => {
    // It may have ended meanwhile after all.
    if (lookAt(statusTable, slot)?.beat !== beat) return
    poolTasks.get(stuck)?.abort(new EndlessTurn(culprit, remedy, address.run))
  })
  thread.unref()
  return () => void thread.terminate()
}
