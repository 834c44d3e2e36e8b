const dayMs = 86_400_000
const threeOClockMs = 3 * 3_600_000

/** Milliseconds until the next 03:00 UTC; a whole day at 03:00. */
const untilNight = (now: number): number => dayMs - ((now - threeOClockMs + dayMs) % dayMs)

/** Runs `work` at 03:00 UTC (the process's clock), also after errors. Returns a stop function. */
export function everyNight(work: () => Promise<void>): () => void {
  let timer: NodeJS.Timeout
  let stopped = false
  const wait = () => {
    timer = setTimeout(async () => {
      await work().catch(() => {})
      if (!stopped) wait()
    }, untilNight(Date.now()))
  }
  wait()
  return () => {
    stopped = true
    clearTimeout(timer)
  }
}
