import { syncBuiltinESMExports } from 'node:module'
import { installClock } from './clock.ts'
import { installConsole } from './console.ts'
import { installIdentity } from './identity.ts'
import { installNet } from './net.ts'
import { installRandomness } from './randomness.ts'
import { installThreadPool } from './thread-pool.ts'
import { installTimers } from './timers.ts'
import { virtualNextTick, virtualQueueMicrotask } from './turns.ts'

let installed = false

/**
 * Replaces Node's time, chance, network and identity, once and for good, by functions that ask which process is
 * current. Outside of every process they are the real ones. Call it before any adapter is loaded: what a module
 * has taken from Node earlier cannot be made virtual.
 */
export function install(): void {
  if (installed) return
  installed = true
  process.nextTick = virtualNextTick as typeof process.nextTick
  globalThis.queueMicrotask = virtualQueueMicrotask
  installTimers()
  installClock()
  installRandomness()
  installIdentity()
  installConsole()
  installNet()
  installThreadPool()
  syncBuiltinESMExports()
}
