const dayMs = 86_400_000
const threeOClockMs = 3 * 3_600_000

/** How long until the next three o'clock, by UTC. A day, at three. */
const untilNight = (now: number): number => dayMs - ((now - threeOClockMs + dayMs) % dayMs)

/** Does the work at three every night, by the process's clock. Where it fails, the next night tries again. Stop it by what is returned. */
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
