/** `os`, and other descriptions of the machine that a process runs on. */
import os from 'node:os'
import tty from 'node:tty'
import workerThreads from 'node:worker_threads'
import type { VirtualProcess } from '../process.ts'
import { replaceFunction, replaceValue } from './replace.ts'
import * as sees from './sees.ts'

const processor = () => ({
  model: 'simulated',
  speed: 2000,
  times: { user: 0, nice: 0, sys: 0, idle: 0, irq: 0 },
})

const alone = { netmask: '255.0.0.0', family: 'IPv4', mac: '00:00:00:00:00:00', internal: true }

function networkInterfaces({ slot }: VirtualProcess): NodeJS.Dict<os.NetworkInterfaceInfo[]> {
  const address = `10.0.1.${slot + 1}`
  const mac = `02:00:0a:00:01:${(slot + 1).toString(16).padStart(2, '0')}`
  const outside = { address, netmask: '255.255.0.0', family: 'IPv4', mac, internal: false, cidr: `${address}/16` }
  return {
    lo: [{ address: '127.0.0.1', ...alone, cidr: '127.0.0.1/8' } as os.NetworkInterfaceInfo],
    eth0: [outside as os.NetworkInterfaceInfo],
  }
}

const functions: Readonly<Record<string, (process: VirtualProcess) => unknown>> = {
  arch: () => 'x64',
  availableParallelism: () => sees.processors,
  cpus: () => Array.from({ length: sees.processors }, processor),
  freemem: () => sees.memory.free,
  getPriority: () => 0,
  homedir: () => sees.environment.HOME,
  hostname: ({ hostname }) => hostname,
  loadavg: () => [0, 0, 0],
  machine: () => 'x86_64',
  networkInterfaces,
  platform: () => 'linux',
  release: () => sees.linuxRelease,
  tmpdir: () => '/tmp',
  totalmem: () => sees.memory.total,
  type: () => 'Linux',
  uptime: ({ clock }) => sees.upSeconds + clock.monotonicUs() / 1_000_000,
  userInfo: () => ({
    uid: sees.userId,
    gid: sees.userId,
    username: sees.environment.USER,
    homedir: sees.environment.HOME,
    shell: sees.environment.SHELL,
  }),
  version: () => '#1 SMP',
}

/** The harness plays runs on several threads, but each process sees itself as a main thread. */
const mainThread: Readonly<Record<string, () => unknown>> = {
  isInternalThread: () => false,
  isMainThread: () => true,
  parentPort: () => null,
  resourceLimits: () => ({}),
  threadId: () => 0,
  threadName: () => '',
  workerData: () => null,
}

const navigatorValues: Readonly<Record<string, () => unknown>> = {
  hardwareConcurrency: () => sees.processors,
  language: () => sees.locale,
  languages: () => [sees.locale],
  platform: () => 'linux',
}

export function installMachine(): void {
  for (const [name, virtual] of Object.entries(functions)) replaceFunction(os, name, virtual)
  for (const [name, value] of Object.entries(mainThread))
    if (Object.hasOwn(workerThreads, name)) replaceValue(workerThreads, name, value)
  replaceFunction(tty, 'isatty', () => false)
  const { Navigator } = globalThis as { Navigator?: { prototype: object } }
  if (Navigator !== undefined)
    for (const [name, value] of Object.entries(navigatorValues)) replaceValue(Navigator.prototype, name, value)
}
