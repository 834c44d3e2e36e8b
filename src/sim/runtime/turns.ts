import type { QueuedEvent } from '../kernel/event-queue.ts'
import { caller, within } from './current.ts'
import type { VirtualProcess } from './process.ts'
import { real } from './real.ts'

/**
 * Runs one turn of a process: the callback, then every `nextTick` callback and microtask that it left behind,
 * as Node does between two macrotasks. Node's own queues are drained by calling `process._tickCallback` from a
 * macrotask (DESIGN 3.1); inside of a microtask it would do nothing, so `run` must start in a macrotask.
 */
const tickCallback = (process as unknown as { _tickCallback(): void })._tickCallback

let guarded: VirtualProcess | null = null
let outsideWork: Promise<void>[] = []

export const turns = {
  take(process: VirtualProcess, event: QueuedEvent<VirtualProcess>): void {
    if (process.state === 'ended') return
    if (process.state === 'paused') return process.defer(event)
    guarded = process
    within(process, () => {
      try {
        event.callback?.()
      } catch (error) {
        fail(process, error)
      }
      tickCallback()
    })
    guarded = null
  },

  outside(): Promise<void> | null {
    if (outsideWork.length === 0) return null
    const work = outsideWork
    outsideWork = []
    return Promise.all(work).then(() => undefined)
  },
}

/** The kernel waits at zero virtual time until `work` settles; the work itself reports to its process. */
export function awaitOutside(work: Promise<void>): void {
  outsideWork.push(work)
}

function fail(process: VirtualProcess, error: unknown): void {
  if (process.state !== 'ended') process.host.died(process, error)
}

/** A throw inside a `nextTick` callback would abort Node itself, so each one is caught for its process. */
export function virtualNextTick(callback: (...args: unknown[]) => void, ...args: unknown[]): void {
  const process = caller()
  if (process === null) return real.nextTick.call(globalThis.process, callback, ...args)
  real.nextTick.call(globalThis.process, () => guard(process, callback, args))
}

export function virtualQueueMicrotask(callback: () => void): void {
  const process = caller()
  if (process === null) return real.queueMicrotask(callback)
  real.queueMicrotask(() => guard(process, callback, []))
}

function guard(process: VirtualProcess, callback: (...args: unknown[]) => void, args: unknown[]): void {
  if (process.state === 'ended') return
  try {
    callback(...args)
  } catch (error) {
    fail(process, error)
  }
}

const events = ['uncaughtException', 'unhandledRejection'] as const

/** Takes over Node's last-resort events while a run is under way; returns what gives them back. */
export function catchStrays(): () => void {
  const kept = events.map((event) => [event, process.listeners(event as 'uncaughtException')] as const)
  for (const event of events) {
    process.removeAllListeners(event)
    process.on(event as 'uncaughtException', (error: unknown) => {
      if (guarded !== null) fail(guarded, error)
    })
  }
  return () => {
    for (const [event, listeners] of kept) {
      process.removeAllListeners(event)
      for (const listener of listeners) process.on(event as 'uncaughtException', listener)
    }
  }
}
