import { Choices } from '../kernel/choices.ts'
import { hashText } from '../kernel/digest.ts'
import { epochMs } from '../kernel/epoch.ts'
import { Kernel, type KernelLimits } from '../kernel/kernel.ts'
import { MachineClock } from '../kernel/machine-clock.ts'
import type { ReadableFiles } from './node/readable-files.ts'
import { type ProcessHost, VirtualProcess } from './process.ts'
import { turns } from './turns.ts'

/** The result of loading something in a separate process. */
export interface Apart {
  /**
   * True if loading began work that continues afterwards: a timer, a connection, work for the
   * thread pool.
   */
  readonly isActive: boolean
  /** The features that loading used and that are not simulated, each once. */
  readonly unsupported: readonly string[]
  readonly connects: boolean
  /** The value that loading threw, or an uncaught rejection. */
  readonly failure: { readonly error: unknown } | null
}

/**
 * Loads in a turn of a separate process in which nothing happens afterwards. Values that modules
 * draw while loading (an owner id, a start time) are the same on every machine, and differ between
 * processes. Call it from a macrotask, like every turn (`turns.ts`).
 */
export function loadApart(processName: string, files: ReadableFiles, load: () => void): Apart {
  const place = new LoadingPlace(processName, files)
  place.kernel.turn(place.process, load)
  if (turns.outside() !== null) place.isActive = true
  return place.apart
}

/** Limits for loading modules that wait at their top level. */
const limits: KernelLimits = { timeUs: 3_600_000_000, events: 60_000 }

/** Like `loadApart`, but loading may take virtual time. `settled`: true if loading has ended. */
export async function settleApart(
  processName: string,
  files: ReadableFiles,
  load: () => Promise<unknown>,
): Promise<Apart & { readonly settled: boolean }> {
  const place = new LoadingPlace(processName, files)
  let settled = false
  place.kernel.schedule(0, place.process, () => {
    load().then(
      () => (settled = true),
      (error: unknown) => place.died(place.process, error),
    )
  })
  await place.kernel.run(() => settled || place.apart.failure !== null, limits)
  return { ...place.apart, settled }
}

/** The number of own members in the `process` of a fresh process: `argv0`, `exitCode`. */
const ownAtFirst = 2

class LoadingPlace implements ProcessHost {
  readonly kernel: Kernel<VirtualProcess>
  readonly process: VirtualProcess
  isActive = false
  connects = false
  readonly #unsupported = new Set<string>()
  #failure: { readonly error: unknown } | null = null

  constructor(
    processName: string,
    readonly files: ReadableFiles,
  ) {
    const kernel = new Kernel<VirtualProcess>(new Choices({ seed: hashText(processName, 1) }), turns)
    this.kernel = kernel
    const clock = new MachineClock(() => kernel.nowUs, epochMs * 1000)
    this.process = new VirtualProcess(this, processName, ...placeOf(processName), clock)
    this.process.schedule = (delayUs, callback) => {
      this.isActive = true
      return kernel.schedule(delayUs, this.process, callback)
    }
  }

  get apart(): Apart {
    return {
      isActive: this.isActive || this.#hasOwnState(),
      unsupported: [...this.#unsupported],
      connects: this.connects,
      failure: this.#failure,
    }
  }

  /**
   * State that modules leave in `process` belongs to this process, and would be missing in the
   * processes of a run.
   */
  #hasOwnState(): boolean {
    const { events, own } = this.process
    return events.eventNames().length > 0 || Object.keys(own.process).length > ownAtFirst
  }

  /** Never answers. */
  connect() {
    this.isActive = this.connects = true
    return { send: () => null, finish: () => false, close() {} }
  }

  /** Never gets a connection. */
  listen(_process: VirtualProcess, address: string, port: number) {
    this.isActive = true
    return { address, port, close() {} }
  }

  resolve(hostname: string): string {
    return hostname
  }

  timerStarted(): void {}

  log(): void {}

  died(_process: VirtualProcess, error: unknown): void {
    this.#failure ??= { error }
  }

  unsupported(what: string): void {
    this.#unsupported.add(what)
  }

  fileRead(what: string, digest: string): void {
    if (this.files.loading) this.files.loaded.set(what, digest)
  }
}

/** Slot and incarnation: `consumer-3.2` is the second process in the slot 2. */
function placeOf(processName: string): [slot: number, incarnation: number] {
  const [, consumer = '1', incarnation = '1'] = /(\d+)(?:\.(\d+))?$/.exec(processName) ?? []
  return [Number(consumer) - 1, Number(incarnation)]
}
