/** The texts that replace omitted steps of a story. */
import { msText } from '../contract/results/time-text.ts'
import type { Chosen } from './choose-events.ts'
import type { FoldedAttempts } from './fold-attempts.ts'
import type { Idle } from './fold-idle.ts'
import type { Refused } from './fold-refused.ts'
import type { Folded } from './fold-repeats.ts'

/** `afterSeq`: the event of the step that the text follows, or a later event of that step. */
export interface FoldText {
  readonly afterSeq: number
  readonly text: string
  /**
   * True if the text counts repetitions of the step itself, so that it can be put on the line of
   * the step.
   */
  readonly isOfStep: boolean
}

export function foldTexts({ attempts, folded, idle, refused, gap }: Omit<Chosen, 'steps'>): FoldText[] {
  const reported = <T extends { readonly afterSeq: number }>(
    all: readonly T[],
    textOf: (one: T) => string,
    isOfStep: (one: T) => boolean = () => false,
  ) => all.map((one): FoldText => ({ afterSeq: one.afterSeq, text: textOf(one), isOfStep: isOfStep(one) }))
  return [
    ...reported(attempts, attemptsText, () => true),
    ...reported(folded, foldedText, ({ steps }) => steps === 1),
    ...reported(idle, idleText),
    ...reported(refused, refusedText),
    ...reported(gap === null ? [] : [gap], gapText),
  ]
}

const foldedText = ({ times, untilUs }: Folded): string =>
  `repeated ${times === 1 ? 'once' : `${times} times`} with the same replies, until ${msText(untilUs)}`

const attemptsText = ({ attempts, untilUs }: FoldedAttempts): string =>
  `${attempts === 1 ? '1 more attempt gets the same reply and ends' : `${attempts} more attempts get the same reply and end`} the same way, until ${msText(untilUs)}`

const idleText = ({ steps, untilUs }: Idle): string =>
  `${steps} more such steps without an effect, until ${msText(untilUs)}`

const refusedText = ({ process, commands, answers, untilUs }: Refused): string =>
  `${commands} more commands of ${process} are not executed (${answers.join(', ')}), until ${msText(untilUs)}`

const gapText = ({ count }: NonNullable<Chosen['gap']>): string =>
  `${count} more such ${count === 1 ? 'event' : 'events'} not shown`
