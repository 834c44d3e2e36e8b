import { takeBroken } from '../assert.ts'
import type { QueuedEvent } from '../kernel/event-queue.ts'
import { caller, within } from './current.ts'
import type { VirtualProcess } from './process.ts'
import { real } from './real.ts'

/**
 * Runs one turn of a process: the callback, then every `nextTick` callback and microtask that it
 * left behind, as Node does between two macrotasks. Calls `process._tickCallback` to drain Node's
 * own queues (docs/how-it-works/design.md 2). In a microtask that would do nothing, so `run` must
 * start in a macrotask.
 */
const tickCallback = (process as unknown as { _tickCallback(): void })._tickCallback

let guarded: VirtualProcess | null = null

export const turns = {
  take(process: VirtualProcess, event: QueuedEvent<VirtualProcess>): void {
    if (process.state === 'ended' || !process.begins(event)) return
    const before = guarded
    guarded = process
    try {
      within(process, () => {
        try {
          event.callback?.()
        } catch (error) {
          fail(process, error)
        }
        drain(process)
      })
    } finally {
      // Reset even if the harness fails: later failures outside of every process belong to no
      // process.
      guarded = before
    }
    process.ends()
    // The process may have caught the broken assumption, or seem to have died of it.
    const broken = before === null ? takeBroken() : null
    if (broken !== null) throw broken
  },

  outside(): ((goOn: () => void) => void) | null {
    if (outsideWork.length === 0) return null
    const work = outsideWork
    outsideWork = []
    return (goOn) => {
      void Promise.all(work.map(({ settled }) => settled)).then((results) => {
        for (const [at, result] of results.entries()) work[at]!.report(result)
        real.setImmediate(goOn)
      })
    }
  },
}

/** Errors here come from callbacks that Node's own code queued without `virtualNextTick`. */
function drain(process: VirtualProcess): void {
  for (;;) {
    try {
      return tickCallback()
    } catch (error) {
      fail(process, error)
    }
  }
}

type Settled = PromiseSettledResult<unknown>

interface OutsideWork {
  readonly settled: Promise<Settled>
  report(result: Settled): void
}

let outsideWork: OutsideWork[] = []

/**
 * The kernel waits without passing virtual time until `work` settles; then `report` is called, in
 * the order of these calls.
 */
export function awaitOutside(work: Promise<unknown>, report: (result: Settled) => void): void {
  const settled = Promise.allSettled([work]).then(([result]) => result)
  outsideWork.push({ settled, report })
}

/** Ends the process, unless it listens for uncaught errors. */
function fail(process: VirtualProcess, error: unknown): void {
  if (process.state === 'ended') return
  if (process.events.listenerCount('uncaughtException') === 0) return process.host.died(process, error)
  try {
    process.events.emit('uncaughtException', error)
  } catch (thrown) {
    process.host.died(process, thrown)
  }
}

/**
 * A throw in a `nextTick` callback would abort Node itself, so each one is caught for its process.
 */
export function virtualNextTick(callback: (...args: unknown[]) => void, ...args: unknown[]): void {
  const process = caller()
  if (process === null || typeof callback !== 'function')
    return real.nextTick.call(globalThis.process, callback, ...args)
  real.nextTick.call(globalThis.process, () => guard(process, callback, args))
}

export function virtualQueueMicrotask(callback: () => void): void {
  const process = caller()
  if (process === null || typeof callback !== 'function') return real.queueMicrotask(callback)
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
let catching = 0

/** True while `catchUnhandledErrors` is in effect: nothing real may be started during that time. */
export const runUnderWay = (): boolean => catching > 0

/**
 * Takes over Node's events for uncaught errors during a run. Returns a function that restores the
 * earlier listeners, and throws if something failed outside of every turn: the harness itself, or
 * work that left the simulation. `hasLayer`: the layer's code is in this thread, so nothing real
 * may be started during the run.
 */
export function catchUnhandledErrors(hasLayer = true): () => void {
  // An assumption that broke in another run does not end this one.
  takeBroken()
  const kept = events.map((event) => [event, process.listeners(event as 'uncaughtException')] as const)
  const unhandled: unknown[] = []
  if (hasLayer) catching++
  for (const event of events) {
    process.removeAllListeners(event)
    process.on(event as 'uncaughtException', (error: unknown) => {
      if (guarded !== null) fail(guarded, error)
      else unhandled.push(error)
    })
  }
  let given = false
  return () => {
    if (given) return
    given = true
    if (hasLayer) catching--
    for (const [event, listeners] of kept) {
      process.removeAllListeners(event)
      for (const listener of listeners) process.on(event as 'uncaughtException', listener)
    }
    if (unhandled.length > 0) throw unhandled[0]
  }
}
