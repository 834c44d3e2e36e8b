/**
 * Handles Ctrl-C: the first signal stops the command after the current run, with the results so
 * far; the second one stops it at once.
 */
export interface Interrupt {
  /** A flag that worker threads share: any value except 0 means stop. */
  readonly flag: Int32Array<SharedArrayBuffer>
  stopped(): boolean
  /** Stops as the first signal does, without a message. */
  stop(): void
  release(): void
}

/** The signals of Ctrl-C, a request to terminate, and a closed terminal. */
export const stopSignals = ['SIGINT', 'SIGTERM', 'SIGHUP'] as const

/**
 * A further signal within this number of milliseconds is ignored, because package runners forward a
 * signal that the terminal has already sent.
 */
const sameSignalMs = 300

export function listenForInterrupt(report: (line: string) => void, nowMs: () => number): Interrupt {
  const flag = new Int32Array(new SharedArrayBuffer(4))
  let firstMs: number | null = null
  const onSignal = (): void => {
    if (firstMs !== null && nowMs() - firstMs > sameSignalMs) process.exit(130)
    if (firstMs !== null) return
    firstMs = nowMs()
    Atomics.store(flag, 0, 1)
    report('stopping after the current run; press Ctrl-C again to stop now')
  }
  for (const signal of stopSignals) process.on(signal, onSignal)
  return {
    flag,
    stop: () => void Atomics.store(flag, 0, 1),
    stopped: () => Atomics.load(flag, 0) !== 0,
    release: () => {
      for (const signal of stopSignals) process.off(signal, onSignal)
    },
  }
}
