import type { ViolationText } from '../contract/results/results.ts'
import { visible } from '../contract/results/visible.ts'
import { counted } from './figures.ts'
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
    `  ${counted(faultCount, 'fault')} and ${counted(eventCount, 'event')}`,
    ...storyLines(story, { colours: false }),
    token === null
      ? 'replay: the run is too long for a token; use the seed and path of fast-check'
      : `replay: ${replay}`,
  ].join('\n')
}
