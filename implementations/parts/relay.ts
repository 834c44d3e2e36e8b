export interface Relay {
  /** Reports that there may be new work, so that the relay does not wait for the next poll. */
  wake(): void
  stop(): void
}

/** Polls this often even without `wake`: another process may have died and left work. */
const everyMs = 5000

/**
 * Takes work items one after the other, in the process that started it. `takeOne` returns whether
 * there was one; if it throws, the next poll tries again.
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
