/** The parts of `process` that describe a process: environment, arguments, ids, resources. */
import type { VirtualProcess } from '../process.ts'
import { replaceForGood, replaceFunction, replaceValue } from './replace.ts'
import * as sees from './sees.ts'

const nothingUsed = {
  userCPUTime: 0,
  systemCPUTime: 0,
  maxRSS: sees.memory.rss / 1024,
  sharedMemorySize: 0,
  unsharedDataSize: 0,
  unsharedStackSize: 0,
  minorPageFault: 0,
  majorPageFault: 0,
  swappedOut: 0,
  fsRead: 0,
  fsWrite: 0,
  ipcSent: 0,
  ipcReceived: 0,
  signalsCount: 0,
  voluntaryContextSwitches: 0,
  involuntaryContextSwitches: 0,
}

/** Turns take no virtual time, so a process uses no processor time. */
const noTime = () => ({ user: 0, system: 0 })
const { rss, heapTotal, heapUsed, external, arrayBuffers } = sees.memory
const memoryUsage = () => ({ rss, heapTotal, heapUsed, external, arrayBuffers })

const values: Readonly<Record<string, (process: VirtualProcess) => unknown>> = {
  env: ({ own }) => own.env,
  argv: ({ own }) => own.argv,
  execArgv: ({ own }) => own.execArgv,
  execPath: () => sees.execPath,
  debugPort: () => 9229,
  ppid: () => 1,
  arch: () => 'x64',
  platform: () => 'linux',
  mainModule: () => undefined,
}

/**
 * Members of Node's child processes. A simulated process lacks them, even if the harness is itself
 * a child process.
 */
const ofChildren = 'channel connected send disconnect _channel _disconnect _send _handleQueue _pendingMessage'.split(
  ' ',
)

export function installEnvironment(): void {
  for (const [name, value] of Object.entries(values)) replaceValue(process, name, value)
  for (const name of ofChildren) if (Object.hasOwn(process, name)) replaceValue(process, name, () => undefined)
  replaceValue(
    process,
    'title',
    ({ own }) => own.title,
    ({ own }, title) => (own.title = String(title)),
  )
  replaceValue(globalThis, 'process', ({ own }) => own.process)
  replaceForGood(process, 'cwd', () => sees.appFolder)
  replaceFunction(process, 'umask', () => 0o022)
  for (const name of ['getuid', 'geteuid', 'getgid', 'getegid']) replaceFunction(process, name, () => sees.userId)
  replaceFunction(process, 'getgroups', () => [sees.userId])
  replaceFunction(process.memoryUsage, 'rss', () => rss)
  replaceFunction(process, 'memoryUsage', memoryUsage)
  replaceFunction(process, 'constrainedMemory', () => 0)
  replaceFunction(process, 'availableMemory', () => sees.memory.free)
  for (const name of ['cpuUsage', 'threadCpuUsage']) replaceFunction(process, name, noTime)
  replaceFunction(process, 'resourceUsage', () => ({ ...nothingUsed }))
}
