/**
 * A child that counts for the requested time, to measure how fast the machine executes a plain
 * loop.
 */
import { answerParent } from '../children.ts'

answerParent(
  async ({ ms }: { ms: number }) => {
    const end = performance.now() + ms
    let turns = 0
    while (performance.now() < end) for (let at = 0; at < 1000; at++) turns++
    return turns
  },
  async () => {},
)
