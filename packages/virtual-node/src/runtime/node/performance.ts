/**
 * `performance.eventLoopUtilization`: the event loop is never busy, because turns take no virtual
 * time.
 */
import perfHooks from 'node:perf_hooks'
import type { VirtualProcess } from '../process.ts'
import { replaceFunction } from './replace.ts'

interface Utilization {
  readonly idle: number
  readonly active: number
  readonly utilization: number
}

/**
 * Like Node's: with one earlier result, returns the time since then; with two, the time between
 * them (lib/internal/perf/event_loop_utilization.js).
 */
function eventLoopUtilization(process: VirtualProcess, later?: Utilization, earlier?: Utilization): Utilization {
  const idle = process.monotonicUs() / 1000
  if (later === undefined) return { idle, active: 0, utilization: 0 }
  const since = earlier === undefined ? idle - later.idle : later.idle - earlier.idle
  return { idle: since, active: 0, utilization: 0 }
}

export function installPerformance(): void {
  for (const owner of [Object.getPrototypeOf(perfHooks.performance) as object, perfHooks.performance, perfHooks])
    replaceFunction(owner, 'eventLoopUtilization', eventLoopUtilization)
}
