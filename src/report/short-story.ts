/** A counterexample's story in a few lines, for pages with much other text. */

const most = 6

/** The weight of a line. A line with a higher weight says more about the violation. */
function weightOf(line: string): number {
  if (/ms {2}\S+ logs(?: \(stderr\))?: /.test(line)) return 1
  if (/ the sink applies /.test(line)) return 5
  if (/ {2}fault: | {2}healed: the clock of | loses | ha(?:s|ve) expired|: error [A-Z]/.test(line)) return 4
  if (/ answers (done|refused)| gives up on | settles /.test(line)) return 3
  if (/ executes /.test(line)) return 3
  if (/ is handed to | goes on$| dies of | throws over /.test(line)) return 2
  return / calls the sink /.test(line) ? 1 : 0
}

const isTimed = (line: string): boolean => /^ *[\d.]+ ms {2}/.test(line)

/**
 * The lines with the highest weight, in order. Of equally weighted lines, the later ones are kept,
 * because they are nearer to the violation.
 */
export function shortStory({ story }: { readonly story: readonly string[] }, atMost = most): string[] {
  const ranked = story
    .filter(isTimed)
    .map((line, at) => ({ line, at, weight: weightOf(line) }))
    .sort((a, b) => b.weight - a.weight || b.at - a.at)
    .slice(0, atMost)
  return ranked.sort((a, b) => a.at - b.at).map(({ line }) => line)
}

/** The end of a story: the outcome, and what should have happened. */
export function endingOf(story: readonly string[]): readonly string[] {
  return story.slice(story.findLastIndex(isTimed) + 1)
}

/**
 * The whole story if it has at most `steps` steps; otherwise its most important steps, the number
 * of omitted steps, and the outcome.
 */
export function storyOfSteps(story: readonly string[], steps: number): readonly string[] {
  const timed = story.filter(isTimed)
  if (timed.length <= steps) return story
  const gone = timed.length - steps
  const left = `… ${gone} of ${timed.length} steps not shown`
  return [...shortStory({ story }, steps), left, ...endingOf(story)]
}
