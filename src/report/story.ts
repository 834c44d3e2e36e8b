/**
 * Writes the story of one failing run: the events that led to the violation, and what should have
 * happened.
 */

import { moralOf } from '../check/remedies.ts'
import type { History } from '../contract/api/history.ts'
import { indexHistory } from '../contract/api/history-index.ts'
import { positionText, type SourcePosition } from '../contract/api/source-position.ts'
import type { Violation } from '../contract/api/verdict.ts'
import { msText } from '../contract/results/time-text.ts'
import { visible } from '../contract/results/visible.ts'
import { beliefsOf } from './beliefs.ts'
import { chooseEvents } from './choose-events.ts'
import { type FoldText, foldTexts } from './fold-texts.ts'
import { stepSentence } from './step-sentence.ts'
import { eventsOf } from './story-steps.ts'

/** The two effects next to each other; if there are not two, the violation's sentence. */
function outcomeOf(history: History, violation: Violation): string {
  const shown = new Set(violation.events)
  const effects = indexHistory(history)
    .of('effect-applied')
    .filter(({ seq }) => shown.has(seq))
  if (effects.length < 2) return `${violation.sentence}.`
  const { requests } = indexHistory(history)
  const from = effects.map(({ requestId }) => lineText(requests.get(requestId)?.sent.sentFrom))
  const isOneLine = from.every((line) => line === from[0])
  const each = effects.map(({ receipt, process, atUs }, at) => {
    const own = isOneLine || from[at] === null ? '' : `, from ${from[at]}`
    return `${receipt.effectId} (${process}, ${msText(atUs)}${own})`
  })
  const all = isOneLine && from[0] !== null ? `, ${effects.length === 2 ? 'both' : 'all'} from ${from[0]}` : ''
  return `The sink applied ${each.join(' and ')} for the same key ${violation.key}${all}.`
}

const lineText = (position: SourcePosition | undefined): string | null =>
  position === undefined ? null : positionText(position)

/**
 * The lines of the story, usually at most twelve. Each step has its virtual time; the last two
 * lines are the outcome and what should have happened. Text of the layer is escaped. The story
 * needs only facts; a recorded run adds commands.
 */
export function reportStory(
  history: History,
  violation: Violation,
  decidedBy: string | null = null,
  why: string | null = null,
): string[] {
  const { steps, ...left } = chooseEvents(history, violation)
  const folds = foldTexts(left)
  const beliefs = beliefsOf(history, violation)
  const width = Math.max(...steps.map(({ event }) => msText(event.atUs).length), 0)
  const lines = steps.flatMap((step, at) => {
    const { event } = step
    const line = `${msText(event.atUs).padStart(width)}  ${stepSentence(step, history, violation.key)}`
    const belief = eventsOf(step).flatMap(({ seq }) => beliefs.get(seq) ?? [])
    const nextSeq = steps[at + 1]?.event.seq ?? Number.POSITIVE_INFINITY
    const here = folds.filter(({ afterSeq }) => afterSeq >= event.seq && afterSeq < nextSeq)
    const isOwn = ({ afterSeq, isOfStep }: FoldText): boolean => isOfStep && afterSeq === event.seq
    const counted = here.filter(isOwn).map(({ text }) => `; ${text}`)
    const behind = here.filter((fold) => !isOwn(fold)).map(({ text }) => text)
    const more = [...belief, ...behind].map((text) => `${' '.repeat(width)}  … ${text}`)
    return [`${line}${counted.join('')}`, ...more]
  })
  const moral = moralOf(violation.kind, decidedBy, why)
  return [...lines, outcomeOf(history, violation), ...(moral === null ? [] : [moral])].map(visible)
}
