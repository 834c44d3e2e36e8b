/**
 * The same work several times, so many of them under way at a time: runs in real time mostly wait.
 * None begins once it is to stop or one has failed, and all that began have ended when it settles:
 * what they stand on may be closed then.
 *
 * @throws what the first to fail threw
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
