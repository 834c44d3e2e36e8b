/** Two attempts side by side: between a look and a write, or over what the other one wrote. */
import { endOfDelivery } from '../../../contract/history-index.ts'
import { foundNothing, isLook, nameOf } from '../commands.ts'
import type { Rule } from '../evidence.ts'
import { fateOf } from '../fate.ts'
import { questionOf } from '../parts.ts'

export const calledTwice: Rule = ({ attempts }) => {
  const { first, again } = attempts ?? {}
  if (again?.delivery === undefined || again.delivery !== first?.delivery) return null
  return 'the handler called the sink twice within one delivery'
}

export const neverAsked: Rule = ({ attempts, decided }) =>
  attempts !== null && decided !== null && decided.command === null
    ? 'the second attempt sent Redis no command before its effect'
    : null

/** The look found nothing, since nobody had written anything by then. */
export const lookedTooEarly: Rule = (evidence) => {
  const { attempts, decided } = evidence
  const look = questionOf(evidence)
  const { command } = decided ?? {}
  if (attempts === null || command == null || look === null || !isLook(look)) return null
  if (!foundNothing(look.reply) || fateOf(evidence, look).how !== 'untouched') return null
  const { delivery, began } = attempts.first
  if (began.seq > look.seq)
    return 'an attempt looked before another one began, and performed after it without looking again'
  const end = delivery && endOfDelivery(delivery)
  if (delivery === undefined || (end !== undefined && end.seq < look.seq)) return null
  const fate = fateOf(evidence, command)
  const overwrote = command !== look && fate.how === 'written' && fate.by.process !== command.process
  return overwrote
    ? `both attempts looked (${nameOf(look)}) before either had written, and the second one wrote over the first one's claim`
    : `the second attempt looked (${nameOf(look)}) while the first was at work and had written nothing yet`
}

export const wroteOverDone: Rule = ({ attempts, decided }) =>
  attempts !== null && decided?.doneMeanwhile && decided.command !== null
    ? `another attempt was done after this one had begun, and this one's ${nameOf(decided.command)} wrote over the record of it`
    : null

/** Its claim was refused, its look found nothing, and it performed. */
export const tookGoneForOwn: Rule = (evidence) => {
  const { attempts, decided } = evidence
  if (attempts === null || decided?.refused == null || decided.command === null) return null
  const fate = fateOf(evidence, decided.command)
  const gone = fate.how === 'expired' ? 'had expired' : fate.how === 'deleted' ? 'had been deleted' : 'was gone'
  return `its claim was refused, the other one ${gone} by the time it looked, and it went on as if it held the key`
}
