import { syncBuiltinESMExports } from 'node:module'
import { installClock } from './clock.ts'
import { installConsole } from './console.ts'
import { installIdentity } from './identity.ts'
import { installJoin } from './join.ts'
import { installKnownScripts } from './known-scripts.ts'
import { installNet } from './net.ts'
import { installEnvironment } from './node/environment.ts'
import { installFiles } from './node/files.ts'
import { guardLoading } from './node/guard.ts'
import { guardNode } from './node/guard-node.ts'
import { whenLoaded } from './node/http-agents.ts'
import { installLocale } from './node/locale.ts'
import { installMachine } from './node/machine.ts'
import { installNames } from './node/names.ts'
import { installPerformance } from './node/performance.ts'
import { installProcessBinding } from './node/process-binding.ts'
import { installProcessReport } from './node/process-report.ts'
import { installStandardStreams } from './node/standard-streams.ts'
import { installWaitAsync, installWeakRefs } from './node/wait-async.ts'
import { installWebAssembly } from './node/web-assembly.ts'
import { installZlibStreams } from './node/zlib-streams.ts'
import { installZone } from './node/zone.ts'
import { installProcessObject } from './process-object.ts'
import { installRandomness } from './randomness.ts'
import { installRealLoads } from './real-loads.ts'
import { installSendingNotes } from './sending-notes.ts'
import { installServers } from './server.ts'
import { installThreadPool } from './thread-pool.ts'
import { installTimers } from './timers.ts'
import { installTimersPromises } from './timers-promises.ts'
import { virtualNextTick, virtualQueueMicrotask } from './turns.ts'

let installed = false

/**
 * Replaces Node's time, chance, network and identity, once and for good, with functions that check
 * which process is current. Outside of every process, they call the real functions. Call it before
 * any adapter is loaded: functions that a module took from Node earlier cannot be made virtual.
 */
export function install(): void {
  if (installed) return
  installed = true
  // Fixed, because vitest sometimes restores an earlier `nextTick`: a throw in it would abort Node.
  Object.defineProperty(process, 'nextTick', { get: () => virtualNextTick, set: () => {}, configurable: true })
  globalThis.queueMicrotask = virtualQueueMicrotask
  installTimers()
  installTimersPromises()
  installClock()
  installRandomness()
  installKnownScripts()
  installSendingNotes()
  installIdentity()
  installConsole()
  installJoin()
  installNet()
  installServers()
  installFiles()
  installThreadPool()
  installProcessObject()
  installEnvironment()
  installMachine()
  installStandardStreams()
  installProcessBinding()
  installProcessReport()
  installZone()
  installLocale()
  installPerformance()
  installZlibStreams()
  installNames()
  installWaitAsync()
  installWeakRefs()
  installWebAssembly()
  guardNode()
  guardLoading(whenLoaded)
  installRealLoads()
  syncBuiltinESMExports()
}
