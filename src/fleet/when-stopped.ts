/** Stops waiting for other machines after the user has asked to stop. */
export interface Stop {
  /** Resolves to the result of `work`, or to that of `instead` if the user asks to stop first. */
  unless<T>(work: () => Promise<T>, instead: () => Promise<T>): Promise<T>
  close(): void
}

const lookMs = 100

export function whenStopped(stopped: () => boolean): Stop {
  const waiting = new Set<() => void>()
  const timer = setInterval(() => {
    if (!stopped()) return
    for (const give of waiting) give()
    waiting.clear()
  }, lookMs)
  return {
    unless(work, instead) {
      if (stopped()) return instead()
      return new Promise((resolve, reject) => {
        const give = (): void => void instead().then(resolve, reject)
        waiting.add(give)
        work()
          .then(resolve, reject)
          .finally(() => waiting.delete(give))
      })
    },
    close: () => clearInterval(timer),
  }
}
