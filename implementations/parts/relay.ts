export interface Relay {
  /** There may be something new: it need not wait for the next look. */
  wake(): void
  stop(): void
}

/** It looks this often although nobody has woken it: another process, which has died since, may have left something. */
const everyMs = 5000

/**
 * Takes up what there is, one after the other, in the process that it is started in. `takeOne` says whether there was one;
 * where it throws, the next look tries again.
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
