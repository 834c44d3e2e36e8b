/** What the watchdog's thread does. Loaded there only. */
import fs from 'node:fs'
import { Session } from 'node:inspector'
import { parentPort, workerData } from 'node:worker_threads'
import { addressOptions } from '../campaign/token/replay-command.ts'
import { busyLine } from './busy-line.ts'
import { lookAt, slotsTaken, type UnderWay } from './status-table.ts'
import type { StuckTask, WatchdogData } from './watchdog.ts'

const { statusTable, timeouts, launcher, json, end } = workerData as WatchdogData

/** The run under way in each slot, when it was first seen, and the processor time that it used. */
const seen = new Map<number, { readonly beat: number; readonly wallMs: number; cpuMs: number }>()
let cpuMs = cpuOfProcessMs()

/** The run for which the thread of a slot was to be ended. The slot shows it ever after. */
const ended = new Map<number, number>()

/** The main thread has its last words, which take a while: the run is under way meanwhile. */
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
 * Of all threads: on a machine that is busy with something else, a run that is only slow has used
 * little.
 */
function cpuOfProcessMs(): number {
  const { user, system } = process.cpuUsage()
  return (user + system) / 1_000
}

/**
 * `line`: a worker cannot be asked for it safely. The command that replays its run plays it in a
 * main thread.
 */
function wordsOf({ address }: UnderWay, line: string | null): Record<'culprit' | 'happened' | 'remedy', string> {
  const { implementation, scenario, seed, run } = address
  const culprit = `${implementation} under ${scenario}, seed ${seed}, run ${run}`
  const happened = `a turn of the layer has not ended after ${Math.round(timeouts.wallMs / 1_000)} s`
  const where = line === null ? 'find the endless loop with' : `it does not return from ${line};`
  return { culprit, happened, remedy: `${happened}: ${where} ${launcher} replay ${addressOptions(address)}` }
}

/** The main thread is stuck. */
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
