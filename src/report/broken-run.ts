import type { ViolationText } from '../contract/results/results.ts'
import { visible } from '../contract/results/visible.ts'
import { sizeText } from './figures.ts'
import { storyLines } from './story-lines.ts'

/**
 * The error message of a failed property: the violation, its cause, its story, and the command that
 * replays it.
 */
export function brokenRunText(
  { invariant, kind, sentence, faultCount, eventCount, story, token, replay }: ViolationText,
  why: string,
): string {
  const cause = visible(why)
  return [
    `${invariant}: ${kind}: ${sentence}`,
    ...(cause === sentence ? [] : [`  ${cause}`]),
    `  ${sizeText({ faultCount, eventCount })}`,
    ...storyLines(story, { colours: false }),
    token === null
      ? 'replay: the run is too long for a token; use the seed and path of fast-check'
      : `replay: ${replay}`,
  ].join('\n')
}
