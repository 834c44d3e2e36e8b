/** The same work several times, so many of them under way at a time: runs in real time mostly wait. */
export async function inParallel<T>(times: number, atOnce: number, work: () => Promise<T>): Promise<T[]> {
  const done: T[] = []
  let begun = 0
  const one = async (): Promise<void> => {
    while (begun < times) {
      begun++
      done.push(await work())
    }
  }
  await Promise.all(Array.from({ length: Math.min(times, atOnce) }, one))
  return done
}
