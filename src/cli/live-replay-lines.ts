/** The result of a run on real servers, as lines for a terminal. */

import type { LiveReplay, LiveReplayViolation } from '../contract/results/live-replay.ts'
import { elapsedText } from '../contract/results/time-text.ts'
import { visible } from '../contract/results/visible.ts'

export function liveReplayLines(made: LiveReplay): string[] {
  const { implementation, scenario, sink, answer, reason, expected, why, steps, on } = made
  const { tookMs, lateMs, sentence, otherReply } = made
  const head = `${implementation} under ${scenario}, ${sink} sink: ${expected === null ? 'holds in the simulator' : wayText(expected)}`
  const where =
    on === null
      ? ''
      : ` on ${on}: ${steps.taken} of ${steps.of} steps, ${elapsedText(Math.round(tookMs))}, at most ${elapsedText(lateMs)} late`
  const reply =
    otherReply === null
      ? []
      : [
          `  ${otherReply.process}'s ${otherReply.command} was answered ${otherReply.real}; in the simulator, ${otherReply.simulated}`,
        ]
  return [
    head,
    `${answer}${where}`,
    ...(why === null ? [] : [`  ${visible(why)}`]),
    ...reply,
    ...(answer === 'cannot be said'
      ? [`  this proves nothing about the layer${reason === 'late' ? '; repeat it on a less busy machine' : ''}`]
      : []),
    ...(sentence === null ? [] : [`  ${visible(sentence)}`]),
  ]
}

const wayText = ({ invariant, kind, decidedBy }: LiveReplayViolation): string =>
  `${invariant} (${kind})${decidedBy === null ? '' : `, decided by ${decidedBy}`}`
