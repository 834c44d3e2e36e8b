/**
 * What every thread is playing, in memory that all of them share: a watchdog reads it even where a
 * thread is stuck.
 */
import type { RunAddress } from '../campaign/token/run-address.ts'
import { createPidPages, PidBook, type PidPages } from '../exec/pid-book.ts'

/** More threads than a command may start. */
const slots = 512
const textBytes = 2_048
/**
 * Of a worker slot: how many runs were begun and ended, the run's number, how long the text is, and
 * which thread of a pool it is.
 */
const numbersOfSlot = 4

export interface StatusTable {
  /** The first number counts the slots that are taken. */
  readonly numbers: Int32Array<SharedArrayBuffer>
  readonly texts: Uint8Array<SharedArrayBuffer>
  /** The processes of programs that threads have started. */
  readonly pids: PidPages
}

export function createStatusTable(): StatusTable {
  return {
    numbers: new Int32Array(new SharedArrayBuffer(4 * (1 + slots * numbersOfSlot))),
    texts: new Uint8Array(new SharedArrayBuffer(slots * textBytes)),
    pids: createPidPages(),
  }
}

/** Of one thread. */
export interface WorkerSlot {
  /** The next run to be played has that address. */
  playing(address: RunAddress): void
  begun(): void
  ended(): void
  readonly pids: PidBook
}

const booked: PidPages[] = []

/** No process of a program outlives this one, unless it is killed by SIGKILL. */
export function endProgramsAtExit({ pids }: StatusTable): void {
  if (booked.length === 0)
    process.once('exit', () => {
      for (const pages of booked) new PidBook(pages).killAll()
    })
  booked.push(pids)
}

/** `thread`: the number of a pool's thread; 0 for the main one. */
export function takeSlot({ numbers, texts, pids }: StatusTable, thread = 0): WorkerSlot {
  const slot = Atomics.add(numbers, 0, 1) % slots
  const at = 1 + slot * numbersOfSlot
  const text = texts.subarray(slot * textBytes, (slot + 1) * textBytes)
  numbers[at + 3] = thread
  const encoder = new TextEncoder()
  let shown: RunAddress | null = null
  return {
    playing(address) {
      numbers[at + 1] = address.run
      if (shown !== null && isSamePair(shown, address)) return
      shown = address
      const { implementation, scenario, sink, seed } = address
      numbers[at + 2] = encoder.encodeInto(JSON.stringify({ implementation, scenario, sink, seed }), text).written
    },
    // Odd while a run is under way.
    begun: () => void Atomics.add(numbers, at, 1),
    ended: () => void Atomics.add(numbers, at, 1),
    pids: new PidBook(pids),
  }
}

/** A run that is under way. */
export interface UnderWay {
  /** Another number for every run. */
  readonly beat: number
  readonly address: RunAddress
  /** The number of a pool's thread; 0 for the main one. */
  readonly thread: number
}

/** The slot's run; null if it plays none. */
export function lookAt({ numbers, texts }: StatusTable, slot: number): UnderWay | null {
  const at = 1 + slot * numbersOfSlot
  const beat = Atomics.load(numbers, at)
  const length = numbers[at + 2]!
  if (beat % 2 === 0 || length === 0) return null
  const text = Buffer.from(texts.slice(slot * textBytes, slot * textBytes + length)).toString()
  try {
    return { beat, address: { ...JSON.parse(text), run: numbers[at + 1]! }, thread: numbers[at + 3]! }
  } catch {
    return null // The text of names that are too long, or are being written.
  }
}

export function slotsTaken({ numbers }: StatusTable): number {
  return Math.min(Atomics.load(numbers, 0), slots)
}

function isSamePair(a: RunAddress, b: RunAddress): boolean {
  return a.implementation === b.implementation && a.scenario === b.scenario && a.seed === b.seed && a.sink === b.sink
}
