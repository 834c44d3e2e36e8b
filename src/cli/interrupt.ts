/**
 * Ctrl-C: once to stop after the current run, with what was found so far; again to stop at once.
 */
export interface Interrupt {
  /** Shared with workers: anything but 0 means stop. */
  readonly flag: Int32Array<SharedArrayBuffer>
  stopped(): boolean
  /** As one signal does, and without a word. */
  stop(): void
  release(): void
}

/** Ctrl-C, an end that is asked for, and a terminal that is gone. */
export const stopSignals = ['SIGINT', 'SIGTERM', 'SIGHUP'] as const

/**
 * Package runners pass on a signal that the terminal has sent already: a second signal this soon
 * does not count.
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
