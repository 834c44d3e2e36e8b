/**
 * A counterexample's story in few lines: enough to see what went wrong, between much other text.
 */

const most = 6

/** The more, the more it says about what went wrong. */
function weightOf(line: string): number {
  if (/ms {2}\S+ logs(?: \(stderr\))?: /.test(line)) return 1
  if (/ the sink applies /.test(line)) return 5
  if (/ {2}fault: | loses | ha(?:s|ve) expired|: error [A-Z]/.test(line)) return 4
  if (/ answers (done|refused)| gives up on | settles /.test(line)) return 3
  if (/ executes /.test(line)) return 3
  if (/ is handed to | goes on$| dies of | throws over /.test(line)) return 2
  return / calls the sink /.test(line) ? 1 : 0
}

const isTimed = (line: string): boolean => /^ *[\d.]+ ms {2}/.test(line)

/**
 * In order; those that weigh most, and among equals the later, which are nearer to what went wrong.
 */
export function shortStory({ story }: { readonly story: readonly string[] }, atMost = most): string[] {
  const ranked = story
    .filter(isTimed)
    .map((line, at) => ({ line, at, weight: weightOf(line) }))
    .sort((a, b) => b.weight - a.weight || b.at - a.at)
    .slice(0, atMost)
  return ranked.sort((a, b) => a.at - b.at).map(({ line }) => line)
}

/** What came of it, and what should have. */
export function endingOf(story: readonly string[]): readonly string[] {
  return story.slice(story.findLastIndex(isTimed) + 1)
}

/**
 * The whole story where it has so few steps; else the telling ones, how many are missing, and what
 * came of it.
 */
export function storyOfSteps(story: readonly string[], steps: number): readonly string[] {
  const timed = story.filter(isTimed)
  if (timed.length <= steps) return story
  const gone = timed.length - steps
  const left = `… ${gone} of ${timed.length} steps not shown`
  return [...shortStory({ story }, steps), left, ...endingOf(story)]
}
