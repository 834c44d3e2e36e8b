import type { History } from '../contract/history.ts'
import { positionText } from '../contract/source-position.ts'
import { endingText, sentenceOf } from './event-sentence.ts'
import type { Step } from './story-steps.ts'

/** A step as a sentence for a person, with the user's line that it comes from behind it: ` (src/pay.ts:12)`. */
export function stepSentence({ event, opening, closing, call }: Step, history: History): string {
  const begins = opening === undefined ? '' : `${opening.messageId}, attempt ${opening.attempt}: `
  const ends = closing === undefined ? '' : `; ${endingText(closing)}`
  const sent = call ?? event
  const from = 'sentFrom' in sent && sent.sentFrom !== undefined ? ` (${positionText(sent.sentFrom)})` : ''
  return `${begins}${sentenceOf(event, history) ?? event.type}${ends}${from}`
}
