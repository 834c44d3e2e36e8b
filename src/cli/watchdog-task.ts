/** What the watchdog's thread does. Loaded there only. */
import fs from 'node:fs'
import { Session } from 'node:inspector'
import { workerData } from 'node:worker_threads'
import { addressOptions } from '../campaign/token/replay-command.ts'
import { busyLine } from './busy-line.ts'
import { lookAt, slotsTaken, type UnderWay } from './status-table.ts'
import type { WatchdogData } from './watchdog.ts'

const { statusTable, timeouts, launcher, json, end } = workerData as WatchdogData

/** Of each slot: the run under way, and when it was first seen there. */
const seen = new Map<number, { readonly beat: number; readonly wallMs: number; readonly cpuMs: number }>()

/** The main thread has its last words, which take a while: the run is under way meanwhile. */
let reported = false

setInterval(look, Math.min(1_000, timeouts.wallMs / 4))

function look(): void {
  if (reported) return
  const wallMs = performance.now()
  const cpuMs = cpuOfProcessMs()
  const busy: (UnderWay & { slot: number })[] = []
  for (let slot = 0; slot < slotsTaken(statusTable); slot++) {
    const now = lookAt(statusTable, slot)
    if (now === null) {
      seen.delete(slot)
      continue
    }
    busy.push({ ...now, slot })
    if (seen.get(slot)?.beat !== now.beat) seen.set(slot, { beat: now.beat, wallMs, cpuMs })
  }
  const stuck = busy.find(({ slot }) => {
    const since = seen.get(slot)!
    return wallMs - since.wallMs >= timeouts.wallMs && cpuMs - since.cpuMs >= timeouts.cpuMs * busy.length
  })
  if (stuck !== undefined) void report(stuck)
}

/** Of all threads: on a machine that is busy with something else, a run that is only slow has used little. */
function cpuOfProcessMs(): number {
  const { user, system } = process.cpuUsage()
  return (user + system) / 1_000
}

async function report({ address, threadId }: UnderWay): Promise<void> {
  reported = true
  // A worker cannot be asked safely; the command that replays its run plays it in a main thread.
  const isMain = threadId === 0
  const line = isMain ? await busyLine() : null
  const { implementation, scenario, seed, run } = address
  const culprit = `${implementation} under ${scenario}, seed ${seed}, run ${run}`
  const seconds = Math.round(timeouts.wallMs / 1_000)
  const where = line === null ? 'a loop without end?' : `it does not come back from ${line};`
  const remedy = `a turn of the layer has not ended after ${seconds} s: ${where} ${launcher} replay ${addressOptions(address)}`
  const document = { schemaVersion: 1, error: { culprit, remedy } }
  if (json) fs.writeSync(1, `${JSON.stringify(document, null, 2)}\n`)
  else fs.writeSync(2, `onceproof: ${culprit}: ${remedy}\n`)
  const session = new Session()
  session.connectToMainThread()
  const byLayer = line !== null || !isMain
  const args = JSON.stringify([`${culprit}: a turn of the layer has not ended after ${seconds} s`, byLayer])
  session.post('Runtime.evaluate', { expression: `globalThis[Symbol.for(${JSON.stringify(end)})](...${args})` })
}
