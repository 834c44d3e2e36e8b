/** Finds writes of the first attempt to keys that the second attempt did not read or claim. */
import { type Attempt, isOfSeveral } from '../../../check/repeat.ts'
import { keysNamedIn } from '../../../contract/results/keys-named-in.ts'
import type { ExecutedCommand } from '../../../sim/world.ts'
import { isShared } from '../deciding-step.ts'
import { changeOf, isWrite, keysNamedBy } from './commands.ts'
import type { Evidence } from './evidence.ts'
import { fateOfKeys } from './fate.ts'

/**
 * True if the attempt sent the command, and no other delivery of the key to the same process may
 * have sent it.
 */
export function isOf(attempt: Attempt, command: ExecutedCommand, { reading, violation }: Evidence): boolean {
  const { process, began } = attempt
  if (command.sentFor !== undefined) return command.sentFor === attempt.delivery?.delivered.deliveryId
  if (isOfSeveral(attempt) || command.process !== process || command.seq <= began.seq) return false
  return !reading
    .deliveriesOf(violation.key ?? '')
    .some(({ delivered }) => delivered.process === process && delivered.seq > began.seq && delivered.seq < command.seq)
}

/**
 * True if a key that the question does not name may have recorded the effect: the first attempt's
 * process wrote the key after the attempt began, and the key may still have existed. Considers the
 * commands of all deliveries of that process, except commands that name only other messages.
 */
export function unnamedRecordMayExist(evidence: Evidence, question: ExecutedCommand): boolean {
  const { attempts, executed, reading } = evidence
  const { process, began } = attempts!.first
  const messages = reading.of('published')
  const mayConcern = (name: string): boolean => {
    const named = keysNamedIn(name, messages)
    return named.size === 0 || named.has(attempts!.key)
  }
  const asked = new Set(keysNamedBy(question))
  return executed
    .slice(0, executed.indexOf(question))
    .filter((one) => one.process === process && one.seq > began.seq && /^(written|unknown)$/.test(changeOf(one)))
    .flatMap(keysNamedBy)
    .filter((key) => !asked.has(key) && mayConcern(key))
    .some((key) => mayStillExist(evidence, key, question))
}

/**
 * True if a key that is named after the message, but was not lost, may have existed when the later
 * attempt began. Writes of the later attempt are excluded, because they did not record the effect.
 */
export function anotherRecordMayExist(evidence: Evidence, lost: ReadonlySet<string>): boolean {
  const { attempts, decided, executed, reading } = evidence
  const { seq } = attempts!.again.sent
  const messages = reading.of('published')
  const own =
    decided === null || isOfSeveral(attempts!.again)
      ? []
      : decided.steps.filter((one) => isWrite(one) && !isShared(one, decided.delivery, reading))
  const before = executed.filter((one) => one.seq <= seq && !own.includes(one) && changeOf(one) !== 'none')
  const after = executed.find((one) => one.seq > seq)
  return [...new Set(before.flatMap(keysNamedBy))]
    .filter((name) => !lost.has(name) && keysNamedIn(name, messages).has(attempts!.key))
    .some((name) => mayStillExist(evidence, name, own.find((one) => keysNamedBy(one).includes(name)) ?? after))
}

const mayStillExist = (evidence: Evidence, name: string, by: ExecutedCommand | undefined): boolean =>
  /^(written|unknown)$/.test(fateOfKeys(evidence, new Set([name]), by).how)
