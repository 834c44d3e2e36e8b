/** Returns a function that starts the work unless it is still running. */
export function oneAtATime(work: () => Promise<void>): () => void {
  let isBusy = false
  return () => {
    if (isBusy) return
    isBusy = true
    void work()
      .catch(() => {})
      .finally(() => (isBusy = false))
  }
}
