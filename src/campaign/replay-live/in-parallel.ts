/**
 * Repeats work, at most `atOnce` repetitions at a time, because runs in real time mostly wait. No
 * repetition starts after a stop or a failure. When the promise settles, all repetitions have
 * ended, so that their resources can be closed.
 * @throws the error of the first failure
 */
export async function inParallel<T>(
  { times, atOnce, stopped }: { readonly times: number; readonly atOnce: number; readonly stopped: () => boolean },
  work: () => Promise<T>,
): Promise<T[]> {
  const done: T[] = []
  let begun = 0
  let failure: { readonly error: unknown } | null = null
  const one = async (): Promise<void> => {
    while (begun < times && failure === null && !stopped()) {
      begun++
      try {
        done.push(await work())
      } catch (error) {
        failure ??= { error }
      }
    }
  }
  await Promise.all(Array.from({ length: Math.min(times, atOnce) }, one))
  const failed = failure as { readonly error: unknown } | null
  if (failed !== null) throw failed.error
  return done
}
