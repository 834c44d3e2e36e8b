/** The message of a failed test, from the results of its campaign. */
import type { PairResult, Results } from '../contract/results/results.ts'
import { storyWithPage } from '../contract/results/shipped-page.ts'
import { visible } from '../contract/results/visible.ts'
import { type Break, breaksOf } from '../report/break.ts'
import { seenText, sizeOf, titleOf } from '../report/break-lines.ts'
import { headlineOf } from '../report/page/headline.ts'
import { storyLines } from '../report/story-lines.ts'
import { pairName } from '../report/terminal.ts'

/** The maximum number of pairs without a verdict that the message lists. */
const mostPairs = 5

/** The text of the message. `page`: the path of the report's page. */
export function reportEffects(results: Results, page: string): string {
  const { title, more } = headlineOf(results)
  const [gravest] = breaksOf(results)
  const reported = gravest === undefined ? withoutVerdict(results.pairs) : story(gravest)
  return [`${title}. ${more}`, ...reported, `report: ${page}`].join('\n')
}

function story(gravest: Break): string[] {
  const { root, why } = gravest
  return [
    `  ${root === undefined ? titleOf(gravest) : root.title}  ${seenText(gravest)}`,
    ...(why === null ? [] : [`    ${why}`]),
    `    ${gravest.scenario}, ${sizeOf(gravest)}`,
    ...storyLines(storyWithPage(gravest), { colours: false }),
    ...(root?.fix ? [`    Fix: ${root.fix}`] : []),
    `replay: ${gravest.replay}`,
  ]
}

function withoutVerdict(pairs: readonly PairResult[]): string[] {
  const unknown = pairs.filter(({ verdict }) => verdict === 'unknown' || verdict === 'error')
  const left = unknown.length - mostPairs
  return [
    ...unknown.slice(0, mostPairs).map((pair) => `  ${pairName(pair)}: ${visible(pair.reason ?? 'unknown reason')}`),
    ...(left > 0 ? [`  and ${left} more`] : []),
  ]
}
