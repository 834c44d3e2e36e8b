import { AsyncLocalStorage } from 'node:async_hooks'
import type { VirtualProcess } from './process.ts'

/**
 * The process in whose turn the code runs; null outside of every process, where everything is real.
 */
export let current: VirtualProcess | null = null

let tracked: AsyncLocalStorage<VirtualProcess> | null = null
let disagreement: string | null = null

/**
 * The process whose virtual API is called. In check mode, this must be the process that started the
 * work.
 */
export function caller(): VirtualProcess | null {
  if (tracked !== null && current !== null) {
    const started = tracked.getStore()
    if (started !== undefined && started !== current)
      disagreement ??= `work that ${started.name} started continues in a turn of ${current.name}: the two share state`
  }
  return current
}

/** Makes `process` current while `work` runs, up to its first `await`. */
export function within<T>(process: VirtualProcess | null, work: () => T): T {
  const before = current
  current = process
  try {
    return tracked !== null && process !== null ? tracked.run(process, work) : work()
  } finally {
    current = before
  }
}

/**
 * Check mode: follows work through promises, and records if it continues in another process's turn.
 */
export function trackOwners(on: boolean): void {
  // Without this, Node would keep calling a hook for every promise of every later run.
  tracked?.disable()
  tracked = on ? new AsyncLocalStorage() : null
  disagreement = null
}

/** The finding of check mode, in one sentence. */
export function foundDisagreement(): string | null {
  return disagreement
}
