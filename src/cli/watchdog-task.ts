/** The code of the watchdog's thread. Only that thread loads it. */
import fs from 'node:fs'
import { Session } from 'node:inspector'
import { parentPort, workerData } from 'node:worker_threads'
import { addressOptions } from '../campaign/token/replay-command.ts'
import { busyLine } from './busy-line.ts'
import { lookAt, slotsTaken, type UnderWay } from './status-table.ts'
import type { StuckTask, WatchdogData } from './watchdog.ts'

const { statusTable, timeouts, launcher, json, end } = workerData as WatchdogData

/** By slot: the run in progress, when it was first seen, and the CPU time that it has used. */
const seen = new Map<number, { readonly beat: number; readonly wallMs: number; cpuMs: number }>()
let cpuMs = cpuOfProcessMs()

/** By slot: the run whose thread was ended. The slot still contains this run. */
const ended = new Map<number, number>()

/**
 * True while the main thread reports its last results. This takes a while, and the run of the main
 * thread still counts as in progress.
 */
let reported = false

setInterval(look, Math.min(1_000, timeouts.wallMs / 4))

function look(): void {
  if (reported) return
  const wallMs = performance.now()
  const before = cpuMs
  cpuMs = cpuOfProcessMs()
  const busy: (UnderWay & { slot: number })[] = []
  for (let slot = 0; slot < slotsTaken(statusTable); slot++) {
    const now = lookAt(statusTable, slot)
    if (now === null) seen.delete(slot)
    else if (ended.get(slot) !== now.beat) busy.push({ ...now, slot })
  }
  for (const run of busy) {
    const { slot, beat, thread } = run
    const since = seen.get(slot)
    if (since?.beat !== beat) {
      seen.set(slot, { beat, wallMs, cpuMs: 0 })
      continue
    }
    since.cpuMs += (cpuMs - before) / busy.length
    if (wallMs - since.wallMs < timeouts.wallMs || since.cpuMs < timeouts.cpuMs) continue
    if (thread === 0) return void report(run)
    ended.set(slot, beat)
    parentPort!.postMessage({ ...run, ...wordsOf(run, null) } satisfies StuckTask)
  }
}

/**
 * The CPU time of all threads. If a run is slow because the machine is busy with other work, this
 * process has used little CPU time.
 */
function cpuOfProcessMs(): number {
  const { user, system } = process.cpuUsage()
  return (user + system) / 1_000
}

/**
 * The texts about a blocked run. `line`: the line at which the layer blocks; null for a worker
 * thread, which cannot be inspected safely. The replay command in the text plays the run in a main
 * thread.
 */
function wordsOf({ address }: UnderWay, line: string | null): Record<'culprit' | 'happened' | 'remedy', string> {
  const { implementation, scenario, seed, run } = address
  const culprit = `${implementation} under ${scenario}, seed ${seed}, run ${run}`
  const happened = `a turn of the layer has not ended after ${Math.round(timeouts.wallMs / 1_000)} s`
  const where = line === null ? 'find the endless loop with' : `it does not return from ${line};`
  return { culprit, happened, remedy: `${happened}: ${where} ${launcher} replay ${addressOptions(address)}` }
}

/** Reports a blocked main thread. */
async function report(stuck: UnderWay): Promise<void> {
  reported = true
  const line = await busyLine()
  const { culprit, happened, remedy } = wordsOf(stuck, line)
  const document = { schemaVersion: 1, error: { culprit, remedy } }
  if (json) fs.writeSync(1, `${JSON.stringify(document, null, 2)}\n`)
  else fs.writeSync(2, `onceproof: ${culprit}: ${remedy}\n`)
  const session = new Session()
  session.connectToMainThread()
  const args = JSON.stringify([`${culprit}: ${happened}`, line !== null])
  session.post('Runtime.evaluate', { expression: `globalThis[Symbol.for(${JSON.stringify(end)})](...${args})` })
}
