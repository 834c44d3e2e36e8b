/** Three to six lines of a counterexample's story: enough to see what went wrong, for a page that tells many. */
import type { ViolationResult } from '../contract/results.ts'

const most = 6

/** The more, the more it says about what went wrong. */
function weightOf(line: string): number {
  if (/ the sink applies /.test(line)) return 5
  if (/ {2}fault: | loses /.test(line)) return 4
  if (/ answers (done|refused)| gives up on | settles /.test(line)) return 3
  if (/ Redis executes /.test(line)) return 3
  if (/ is handed to | goes on$| dies of | throws over /.test(line)) return 2
  return / calls the sink /.test(line) ? 1 : 0
}

/** In order; those that weigh most, and among equals the later, which are nearer to what went wrong. */
export function shortStory({ story }: Pick<ViolationResult, 'story'>): string[] {
  const timed = story.filter((line) => /^ *[\d.]+ ms {2}/.test(line))
  const ranked = timed
    .map((line, at) => ({ line, at, weight: weightOf(line) }))
    .sort((a, b) => b.weight - a.weight || b.at - a.at)
    .slice(0, most)
  return ranked.sort((a, b) => a.at - b.at).map(({ line }) => line)
}
