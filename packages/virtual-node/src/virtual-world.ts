import { Choices } from './kernel/choices.ts'
import { epochMs } from './kernel/epoch.ts'
import { Kernel, type KernelLimits } from './kernel/kernel.ts'
import { MachineClock } from './kernel/machine-clock.ts'
import { Network } from './network/network.ts'
import { install } from './runtime/install.ts'
import { ReadableFiles } from './runtime/node/readable-files.ts'
import { type ProcessHost, VirtualProcess } from './runtime/process.ts'
import { real } from './runtime/real.ts'
import type { Acceptor, Endpoint } from './runtime/transport.ts'
import { catchUnhandledErrors, turns } from './runtime/turns.ts'

install()

const plenty: KernelLimits = { timeUs: 3_600_000_000, events: 100_000 }

/**
 * A world that has only processes and a network. It records what processes print and how they die.
 */
export class VirtualWorld implements ProcessHost {
  readonly kernel: Kernel<VirtualProcess>
  readonly network: Network
  /** All processes use this clock, although each slot is a machine with its own address. */
  readonly clock: MachineClock
  readonly logs: string[] = []
  readonly deaths: string[] = []
  readonly unsupportedThings: string[] = []
  readonly files: ReadableFiles
  readonly filesRead: string[] = []
  readonly names = new Map<string, string>()

  /** `program`: the file that the processes run; they may read the files of its package. */
  constructor(seed = 1, program = import.meta.filename) {
    this.files = new ReadableFiles(program)
    this.kernel = new Kernel(new Choices({ seed }), turns)
    this.network = new Network(this.kernel)
    this.files.permit(false)
    this.clock = new MachineClock(() => this.kernel.nowUs, epochMs * 1000)
  }

  /** Starts a process in that slot with its first turn. */
  start(work: () => unknown, slot = 0, incarnation = 1): VirtualProcess {
    const name = incarnation === 1 ? `consumer-${slot + 1}` : `consumer-${slot + 1}.${incarnation}`
    const process = new VirtualProcess(this, name, slot, incarnation, this.clock)
    process.schedule(0, () => void work())
    return process
  }

  /** Calls `work` at that time, outside of all processes. */
  at(ms: number, work: () => void): void {
    this.kernel.schedule(ms * 1000, null, work)
  }

  /** Resolves when nothing is left to happen, or at a limit. Starts in a real macrotask. */
  run(limits: Partial<KernelLimits> = {}): Promise<'rest' | 'time' | 'events'> {
    return new Promise((resolve, reject) => {
      real.setImmediate(() => {
        const giveBack = catchUnhandledErrors()
        const fail = (error: unknown) => {
          giveBack()
          reject(error)
        }
        const finish = (how: 'rest' | 'time' | 'events') => {
          giveBack()
          resolve(how)
        }
        try {
          const how = this.kernel.run(() => false, { ...plenty, ...limits })
          if (typeof how === 'string') finish(how)
          else how.then(finish).catch(fail)
        } catch (error) {
          fail(error)
        }
      })
    })
  }

  connect(process: VirtualProcess, host: string, port: number, endpoint: Endpoint) {
    return this.network.connect(process, host, port, endpoint)
  }

  listen(process: VirtualProcess, address: string, port: number, accept: Acceptor) {
    return this.network.serve(process, address, port, accept)
  }

  resolve(hostname: string): string | null {
    return this.names.get(hostname) ?? null
  }

  log(process: VirtualProcess, stream: 'stdout' | 'stderr', text: string): void {
    this.logs.push(`${this.kernel.nowUs} ${process.name} ${stream} ${text}`)
  }

  died(process: VirtualProcess, error: unknown): void {
    this.deaths.push(`${process.name}: ${error instanceof Error ? error.message : String(error)}`)
    process.end()
  }

  timerStarted(): void {}

  unsupported(what: string): void {
    this.unsupportedThings.push(what)
  }

  fileRead(what: string, digest: string): void {
    this.filesRead.push(`${what} ${digest}`)
  }
}
