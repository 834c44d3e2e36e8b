import { Choices } from '../../src/sim/kernel/choices.ts'
import { epochMs } from '../../src/sim/kernel/epoch.ts'
import { Kernel, type KernelLimits } from '../../src/sim/kernel/kernel.ts'
import { MachineClock } from '../../src/sim/kernel/machine-clock.ts'
import { Network } from '../../src/sim/network/network.ts'
import { install } from '../../src/sim/runtime/install.ts'
import { ReadableFiles } from '../../src/sim/runtime/node/readable-files.ts'
import { type ProcessHost, VirtualProcess } from '../../src/sim/runtime/process.ts'
import { real } from '../../src/sim/runtime/real.ts'
import type { Acceptor, Endpoint } from '../../src/sim/runtime/transport.ts'
import { catchStrays, turns } from '../../src/sim/runtime/turns.ts'

install()

const plenty: KernelLimits = { timeUs: 3_600_000_000, events: 100_000 }

/** A world with nothing in it but processes and a network: what tests of kernel, runtime and network play in. */
export class Lab implements ProcessHost {
  readonly kernel: Kernel<VirtualProcess>
  readonly network: Network
  /** The clock of the one machine that all processes run on here. */
  readonly clock: MachineClock
  readonly logs: string[] = []
  readonly deaths: string[] = []
  readonly unsupportedThings: string[] = []
  readonly files: ReadableFiles
  readonly filesRead: string[] = []
  readonly names = new Map<string, string>()

  constructor(seed = 1, adapter = import.meta.filename) {
    this.files = new ReadableFiles(adapter)
    this.kernel = new Kernel(new Choices({ seed }), turns)
    this.network = new Network(this.kernel)
    this.files.permit(false)
    this.clock = new MachineClock(() => this.kernel.nowUs, epochMs * 1000)
  }

  /** A process in that slot, and its first turn. */
  start(work: () => unknown, slot = 0, incarnation = 1): VirtualProcess {
    const name = incarnation === 1 ? `consumer-${slot + 1}` : `consumer-${slot + 1}.${incarnation}`
    const process = new VirtualProcess(this, name, slot, incarnation, this.clock)
    process.schedule(0, () => void work())
    return process
  }

  /** Something that the world does at a time, in nobody's turn. */
  at(ms: number, work: () => void): void {
    this.kernel.schedule(ms * 1000, null, work)
  }

  run(limits: Partial<KernelLimits> = {}): Promise<'rest' | 'time' | 'events'> {
    return new Promise((resolve, reject) => {
      real.setImmediate(() => {
        const giveBack = catchStrays()
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
