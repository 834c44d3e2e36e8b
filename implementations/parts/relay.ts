export interface Relay {
  /** There may be new work: do not wait for the next look. */
  wake(): void
  stop(): void
}

/** Polls this often even without `wake`: another process may have died and left work. */
const everyMs = 5000

/**
 * Takes work items one after the other, in the process that started it. `takeOne` returns whether
 * there was one; if it throws, the next look tries again.
 */
export function startRelay(takeOne: () => Promise<boolean>): Relay {
  let timer: NodeJS.Timeout | undefined
  let runs = false
  let woken = false
  let stopped = false

  async function run(): Promise<void> {
    clearTimeout(timer)
    runs = true
    do woken = false
    while ((await takeOne().catch(() => false)) || woken)
    runs = false
    if (!stopped) timer = setTimeout(run, everyMs)
  }

  void run()
  return {
    wake() {
      woken = true
      if (!runs && !stopped) void run()
    },
    stop() {
      stopped = true
      clearTimeout(timer)
    },
  }
}
