/**
 * Rules about a handler that never answers. The harness does not see what the handler's promises
 * wait for. So the sentences describe the replies to its commands, and the replies that are
 * missing.
 */
import { endOfDelivery, isOpenAt } from '../../../../contract/api/history-index.ts'
import { msText } from '../../../../contract/results/time-text.ts'
import { textOf } from '../../../../sim/world/text-of.ts'
import type { ExecutedCommand } from '../../../../sim/world.ts'
import { keysNamedBy, nameOf } from '../commands.ts'
import type { Evidence, Rule } from '../evidence.ts'
import { atUsOf, fateOf } from '../fate.ts'
import { answerText } from '../parts.ts'
import { isUnheard } from '../unreachable.ts'

type Unanswered = Extract<Evidence['history']['events'][number], { readonly type: 'unanswered' }>

/**
 * A handler that sent a command within this time before the end of the run is polling. In virtual
 * microseconds.
 */
const asksAgainUs = 60_000_000

function hangOf({ violation, history }: Evidence): Unanswered | null {
  if (violation.kind !== 'handler-never-answers') return null
  for (const seq of violation.events) {
    const event = history.events[seq]
    if (event?.type === 'unanswered') return event
  }
  return null
}

/** The handler sent a command that waits for something without a timeout. */
export const blocksForGood: Rule = (evidence) => {
  const { executed } = evidence
  const hang = hangOf(evidence)
  const command = hang?.hangs?.blockedBy
  if (command === undefined) return null
  const wasServed = executed.some(
    (one) =>
      one.process === hang!.process &&
      one.args.map(textOf).join(' ') === command &&
      isUnheard(evidence, one, Number.POSITIVE_INFINITY),
  )
  const why = wasServed
    ? 'its first reply was lost, and the value was gone when the command was sent again'
    : 'nothing arrived'
  return `its command never ends: ${command} waits without a timeout, and ${why}`
}

/** The last reply for the process was lost, and the handler has sent nothing since. */
export const replyLost: Rule = (evidence) => {
  const { reading, decided } = evidence
  const hang = hangOf(evidence)
  const delivery = hang && reading.deliveries.get(hang.deliveryId)
  if (!delivery || decided?.shared) return null
  const last = decided?.steps.at(-1)
  const since = last?.seq ?? delivery.delivered.seq
  const lost = [...reading.of('reply-lost'), ...reading.of('request-lost')]
    .filter((one) => one.process === hang.process && one.seq >= since)
    .sort((a, b) => a.seq - b.seq)
    .at(-1)
  if (lost === undefined) return null
  const isOwnReply = lost.type === 'reply-lost' && lost.command === last?.label
  const others = [...reading.deliveries.values()].filter(
    (one) => one !== delivery && one.delivered.process === hang.process && isOpenAt(one, lost),
  )
  // If the lost reply may belong to another delivery, and some other delivery ended in spite of the
  // loss, the loss is not the reason.
  if (!isOwnReply && others.some((one) => endOfDelivery(one) !== undefined)) return null
  const command = isOwnReply || others.length === 0 ? lost.command : 'its last command'
  const how = hang.hangs?.forgotten
    ? 'its connection was half-open, and neither a client timeout nor keep-alive ended it'
    : 'its connection was lost, the command was not sent again, and the handler did nothing after it'
  return `the reply to ${command} can no longer come: ${how}`
}

/** The handler subscribed to a channel after the last message was published to the channel. */
export const cameTooLate: Rule = (evidence) => {
  const { executed } = evidence
  const hang = hangOf(evidence)
  const listens = executed.findLast(
    ({ args, process, label }) =>
      process === hang?.process &&
      /^[PS]?SUBSCRIBE$/.test(label) &&
      args.slice(1).some((name) => hang.hangs?.channels?.includes(textOf(name))),
  )
  if (listens === undefined) return null
  const names = listens.args.slice(1).map(textOf)
  const published = executed.findLast(
    ({ args, label }) => /^S?PUBLISH$/.test(label) && names.includes(textOf(args[1]!)),
  )
  if (published === undefined) return `no message was published on the channel that it listens to (${names.join(', ')})`
  return executed.indexOf(published) < executed.indexOf(listens)
    ? `the message came before it listened: ${nameOf(published)} of ${published.process} was executed before its ${listens.label} ${names.join(' ')}, and none after it`
    : null
}

/** The handler polls for a key that is held by a process that has ended. */
export const holderDied: Rule = (evidence) => {
  const asked = asksAgain(evidence)
  if (asked === null) return null
  const { reading } = evidence
  const fate = fateOf(evidence, asked)
  if (fate.how !== 'written') return null
  const ended = reading.of('process-ended').find(({ process, how }) => process === fate.by.process && how !== 'closed')
  if (ended === undefined) return null
  const key = keysNamedBy(asked)[0] ?? ''
  return `it polls ${key}, which ${nameOf(fate.by)} of ${fate.by.process} had taken: that process has ${ended.how}, and nothing releases the key`
}

/** A certain fact about every handler that never answers: its last action. */
export const didLast: Rule = (evidence) => {
  const hang = hangOf(evidence)
  if (hang === null) return null
  const again = asksAgain(evidence)
  if (again !== null)
    return `it polls without end: ${answerText(again)} the last time, at ${msText(atUsOf(evidence, again))}`
  const last = evidence.decided?.steps.at(-1)
  if (last === undefined) return 'it never answered, and sent no command to wait for'
  return `it never answered, and sent nothing after ${answerText(last, 'had answered')}`
}

function asksAgain(evidence: Evidence): ExecutedCommand | null {
  const hang = hangOf(evidence)
  const last = evidence.decided?.steps.at(-1)
  if (hang === null || last === undefined || evidence.decided?.shared) return null
  const delivery = evidence.reading.deliveries.get(hang.deliveryId)!
  const end = endOfDelivery(delivery)
  if (end !== undefined || hang.atUs - delivery.delivered.atUs < 2 * asksAgainUs) return null
  return hang.atUs - atUsOf(evidence, last) < asksAgainUs ? last : null
}
