/** Starts the work unless it is still under way. */
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
