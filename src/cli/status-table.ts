/**
 * A table with the current run of each thread, in memory that all threads share, so that a watchdog
 * can read it even if a thread is blocked.
 */
import type { RunAddress } from '../campaign/token/run-address.ts'
import { createPidPages, PidBook, type PidPages } from '../exec/pid-book.ts'

/** The number of slots, which is larger than the number of threads that a command can start. */
const slots = 512
const textBytes = 2_048
/**
 * A slot has four numbers: the count of begun runs plus that of ended runs, the number of the
 * current run, the length of the text, and the number of the pool's thread.
 */
const numbersOfSlot = 4

export interface StatusTable {
  /** The first number counts the slots in use. */
  readonly numbers: Int32Array<SharedArrayBuffer>
  readonly texts: Uint8Array<SharedArrayBuffer>
  /** The pids of the programs that threads have started. */
  readonly pids: PidPages
}

export function createStatusTable(): StatusTable {
  return {
    numbers: new Int32Array(new SharedArrayBuffer(4 * (1 + slots * numbersOfSlot))),
    texts: new Uint8Array(new SharedArrayBuffer(slots * textBytes)),
    pids: createPidPages(),
  }
}

/** The slot of one thread. */
export interface WorkerSlot {
  /** Publishes the address of the run that begins next. */
  playing(address: RunAddress): void
  begun(): void
  ended(): void
  readonly pids: PidBook
}

const booked: PidPages[] = []

/** Kills the processes of programs when this process ends, except after SIGKILL. */
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
    // The first number is odd while a run is in progress.
    begun: () => void Atomics.add(numbers, at, 1),
    ended: () => void Atomics.add(numbers, at, 1),
    pids: new PidBook(pids),
  }
}

/** A run in progress. */
export interface UnderWay {
  /** A number that differs for every run of the slot. */
  readonly beat: number
  readonly address: RunAddress
  /** The number of a pool's thread; 0 for the main one. */
  readonly thread: number
}

/** The current run of the slot; null if the slot is idle. */
export function lookAt({ numbers, texts }: StatusTable, slot: number): UnderWay | null {
  const at = 1 + slot * numbersOfSlot
  const beat = Atomics.load(numbers, at)
  const length = numbers[at + 2]!
  if (beat % 2 === 0 || length === 0) return null
  const text = Buffer.from(texts.slice(slot * textBytes, slot * textBytes + length)).toString()
  try {
    return { beat, address: { ...JSON.parse(text), run: numbers[at + 1]! }, thread: numbers[at + 3]! }
  } catch {
    return null // The text is too long, or is being written.
  }
}

export function slotsTaken({ numbers }: StatusTable): number {
  return Math.min(Atomics.load(numbers, 0), slots)
}

function isSamePair(a: RunAddress, b: RunAddress): boolean {
  return a.implementation === b.implementation && a.scenario === b.scenario && a.seed === b.seed && a.sink === b.sink
}
