/**
 * Rules about concurrent attempts: a write between a read and the write that relies on it, or a
 * record that another attempt overwrites.
 */
import { type Attempt, isOfSeveral } from '../../../../check/repeat.ts'
import { type DeliveryRecord, endOfDelivery } from '../../../../contract/api/history-index.ts'
import { keysInWords } from '../../../../contract/results/whose-command.ts'
import { textOf } from '../../../../sim/world/text-of.ts'
import type { ExecutedCommand } from '../../../../sim/world.ts'
import { commandsOf, isShared } from '../../deciding-step.ts'
import { changeOf, foundNothing, isClaim, isLook, keysNamedBy, nameOf } from '../commands.ts'
import type { Evidence, Rule } from '../evidence.ts'
import { fateOf, sharesKey } from '../fate.ts'
import { textIn } from '../members.ts'
import { ownCommands, questionOf, whatIs } from '../parts.ts'
import { isOf } from '../stood-beside.ts'
import { whileAway } from '../unreachable.ts'

/**
 * One delivery called the sink twice. The calling delivery is known if its process had no other
 * delivery of the key.
 */
export const calledTwice: Rule = ({ attempts }) => {
  const [first, again] = [attempts?.first, attempts?.again].map((attempt) => attempt?.request?.sent.deliveryId ?? null)
  if (first === null || first !== again || attempts?.first.job || attempts?.again.job) return null
  return 'the handler called the sink twice within one delivery'
}

export const neverAsked: Rule = (evidence) => {
  const { attempts, decided } = evidence
  if (attempts === null || isOfSeveral(attempts.again) || decided === null || decided.command !== null) return null
  const { process, began, sent } = attempts.again
  return `no command of the second attempt was executed before its effect${whileAway(evidence, process, began.seq, sent.seq)}`
}

/** The read found nothing, because nothing had been written yet. */
export const lookedTooEarly: Rule = (evidence) => {
  const { attempts, decided } = evidence
  const look = questionOf(evidence)
  const { command } = decided ?? {}
  if (attempts === null || isOfSeveral(attempts.first) || command == null || look === null || !isLook(look)) return null
  const shared = isShared(look, decided!.delivery, evidence.reading)
  if (shared && !eachFoundNothing(evidence, decided!.delivery, look)) return null
  if (!foundNothing(look) || fateOf(evidence, look).how !== 'untouched') return null
  const { delivery, began } = attempts.first
  if (began.seq >= look.seq)
    return shared ? null : 'an attempt looked before another one began, and performed after it without looking again'
  const end = delivery && endOfDelivery(delivery)
  if (delivery === undefined || (end !== undefined && end.seq < look.seq)) return null
  const fate = fateOf(evidence, command)
  const by = command !== look && fate.how === 'written' && fate.by.process === attempts.first.process ? fate.by : null
  const firstLooked =
    !shared && by !== null && ownCommands(evidence, delivery, look).some((one) => isLook(one) && one.seq <= by.seq)
  return firstLooked && by.process !== command.process
    ? `both attempts looked (${nameOf(look)}) before either had written, and the second one wrote over the first one's ${whatIs(by, evidence)}`
    : `the process of the second attempt looked (${nameOf(look)}) while the first attempt was at work and had written nothing there yet`
}

/**
 * True if the process sent at least as many reads as it had deliveries of the key, and no other
 * commands, so that it does not matter which delivery sent which read.
 */
function eachFoundNothing({ executed, reading }: Evidence, mine: DeliveryRecord, look: ExecutedCommand): boolean {
  const { key, process, seq: beganSeq } = mine.delivered
  const beside = reading.deliveriesOf(key).filter((one) => {
    const end = endOfDelivery(one)
    return (
      one.delivered.process === process && one.delivered.seq < look.seq && (end === undefined || end.seq > beganSeq)
    )
  })
  const asked = commandsOf(beside[0]!, look.seq, executed, reading)
  return asked.length >= beside.length && asked.every((one) => isLook(one) && foundNothing(one))
}

/**
 * All reads that found nothing came before the first write, and as many effects followed. If a
 * process has several deliveries, it is unknown which attempt sent which read, but that does not
 * matter here.
 */
export const lookedAtOnce: Rule = (evidence) => {
  const { attempts, executed, reading, violation } = evidence
  if (attempts === null || !/^(duplicate|zombie)$/.test(violation.kind)) return null
  const { first, again, key } = attempts
  if (first.job || again.job) return null
  const since = Math.min(...[first, again].flatMap(possibleSeqs))
  const later = executed.filter(({ seq }) => seq > since)
  const isOfKey = ({ args }: ExecutedCommand) => keysInWords(args.map(textOf), reading).has(key)
  const looks = later.filter((one) => isLook(one) && foundNothing(one) && isOfKey(one))
  const sent = reading.requestsOf(key).filter((one) => one.sent.seq > since)
  const [look] = looks
  if (look === undefined || looks.length !== sent.length) return null
  const keys = new Set(keysNamedBy(look))
  const at = later.findIndex((one) => sharesKey(one, keys) && changeOf(one) !== 'none')
  const write = later[at]
  if (write === undefined || changeOf(write) !== 'written' || isClaim(write)) return null
  return looks.every((one) => sharesKey(one, keys) && later.indexOf(one) < at)
    ? `both attempts looked (${nameOf(look)}) before either had written there (${nameOf(write)}), and both performed`
    : null
}

/** `seq` of the start of each delivery that may have sent the request. */
const possibleSeqs = ({ began, request }: Attempt): readonly number[] => [
  began.seq,
  ...(request?.senders ?? []).map(({ delivered }) => delivered.seq),
]

/** The attempt overwrote a record that another attempt had written. */
export const wroteOverDone: Rule = (evidence) => {
  const { attempts, decided } = evidence
  if (attempts === null || !decided?.doneMeanwhile || decided.shared || decided.command === null) return null
  const { command, steps } = decided
  const fate = fateOf(evidence, command)
  if (changeOf(command) !== 'written' || !('by' in fate) || fate.how === 'deleted' || steps.includes(fate.by))
    return null
  return `another attempt was done after this one had begun, and this one's ${nameOf(command)} wrote over the record of it`
}

/**
 * Another attempt overwrote the record of the effect and then failed; the next attempt found no
 * record.
 */
export const recordWrittenOver: Rule = (evidence) => {
  const { attempts, decided, executed } = evidence
  if (attempts === null || decided?.command == null || decided.shared || isOfSeveral(attempts.first)) return null
  const { first, again } = attempts
  const record = executed.findLast((one) => isOf(first, one, evidence) && changeOf(one) === 'written' && isRecord(one))
  if (record === undefined) return null
  const keys = new Set(keysNamedBy(record))
  const since = executed.slice(executed.indexOf(record) + 1)
  const over = since.find((one) => one.seq < again.sent.seq && sharesKey(one, keys) && changeOf(one) !== 'none')
  if (over === undefined || changeOf(over) !== 'written' || decided.steps.includes(over)) return null
  if (over.process === first.process && over.sentFor === undefined) return null
  const found = decided.steps.some((one) => sharesKey(one, keys) && over.args.includes(textIn(one.reply) ?? ''))
  return found
    ? `${nameOf(over)} of another attempt wrote over the record of the effect, and the next attempt found no record of it`
    : null

  function isRecord(one: ExecutedCommand): boolean {
    const heard = first.request?.answered
    return heard !== undefined && heard.seq < one.seq
  }
}

/** The attempt's claim was refused and its read found nothing, but the attempt performed. */
export const performedAfterRefusedClaim: Rule = (evidence) => {
  const { attempts, decided } = evidence
  if (attempts === null || decided?.refused == null || decided.shared || decided.command === null) return null
  // A read of another key shows nothing about the claim. A SET with XX is not a claim: it is
  // refused if the key does not exist.
  if (!isClaim(decided.refused) || !sharesKey(decided.command, new Set(keysNamedBy(decided.refused)))) return null
  const fate = fateOf(evidence, decided.command)
  const gone = fate.how === 'expired' ? 'had expired' : fate.how === 'deleted' ? 'had been deleted' : 'was gone'
  return `its claim was refused, the other claim ${gone} when it looked, and it went on as if it held the key`
}
