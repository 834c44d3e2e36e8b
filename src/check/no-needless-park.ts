/**
 * The invariant: a message is dead-lettered only if something could have left the layer in doubt
 * (`excuse-for-dead-lettering.ts` lists the causes). Otherwise the violation is
 * `dead-lettered-for-nothing`. Without this invariant, a layer that dead-letters everything would
 * pass. If the layer declares (`leavesNoDoubtOn`) that it settles every doubt by asking the run's
 * sink, only doubts that no sink can settle count as a cause. For any other doubt, the violation is
 * `dead-lettered-in-place-of-asking`.
 *
 * In a run without planned faults, every message must be done. Kinds of violations, judged only for
 * complete runs:
 *
 * - `fault-free-not-done`: a message was not settled as done or accepted, and was not answered done
 *   or accepted too late for the broker. If a key has two payloads, one of its messages must be
 *   done.
 * - `fault-free-effects`: a key does not have exactly one remaining effect.
 */
import type { History, RunHeader } from '../contract/api/history.ts'
import { type EventOf, type HistoryIndex, indexHistory } from '../contract/api/history-index.ts'
import type { Outcome } from '../contract/api/message.ts'
import type { Invariant, Verdict, Violation } from '../contract/api/verdict.ts'
import { msText } from '../contract/results/time-text.ts'
import { answeredTooLate } from './answered-too-late.ts'
import { conclude } from './conclude.ts'
import { cannotBeSettledBySink, mayBeInDoubt } from './excuse-for-dead-lettering.ts'

type Published = EventOf<'published'>

function deadLetteredForNothing(history: History, reading: HistoryIndex): Violation[] {
  const violations: Violation[] = []
  for (const deadLettered of reading.of('settled')) {
    const message =
      deadLettered.as === 'dead-lettered' ? reading.ofMessage('published', deadLettered.messageId)[0] : undefined
    if (!message) continue
    const { key, messageId } = message
    const needless = whyNeedless(key, deadLettered, history.header, reading)
    if (needless === null) continue
    violations.push({
      kind: needless.kind,
      key,
      sentence:
        `${messageId} (key ${key}) was dead-lettered at ${msText(deadLettered.atUs)} as "${deadLettered.reason ?? ''}", ` +
        `although ${needless.why}`,
      events: [message.seq, deadLettered.seq],
    })
  }
  return violations
}

/** Null if the dead-lettering had a cause. */
function whyNeedless(
  key: string,
  deadLettered: EventOf<'settled'>,
  header: RunHeader,
  reading: HistoryIndex,
): { readonly kind: string; readonly why: string } | null {
  if (!mayBeInDoubt(key, deadLettered, header, reading))
    return {
      kind: 'dead-lettered-for-nothing',
      why: 'no request for its key had been sent since the last answer, and nothing had left it in doubt',
    }
  if (!header.leavesNoDoubtOn.includes(header.sink) || cannotBeSettledBySink(key, deadLettered, header, reading))
    return null
  return {
    kind: 'dead-lettered-in-place-of-asking',
    why: `the layer declares that nothing stays in doubt on a ${header.sink} sink, which knows the fate of the effect`,
  }
}

const isDone = ({ status }: Outcome): boolean => status === 'done' || status === 'accepted'

function notDone(reading: HistoryIndex): Violation[] {
  // Accepted messages are included, because `notOneEffect` reports a missing effect.
  const done = new Set(
    reading.of('settled').flatMap(({ as, messageId }) => (as === 'done' || as === 'accepted' ? [messageId] : [])),
  )
  for (const givenUp of reading.of('settled').filter(({ as }) => as === 'given-up')) {
    const key = reading.ofMessage('published', givenUp.messageId)[0]?.key ?? ''
    if (answeredTooLate(givenUp, key, reading).some(isDone)) done.add(givenUp.messageId)
  }
  const anotherPayloadIsDone = ({ key, fingerprint }: Published) =>
    reading.ofKey('published', key).some((other) => other.fingerprint !== fingerprint && done.has(other.messageId))
  return reading
    .of('published')
    .filter((message) => !message.copy && !done.has(message.messageId) && !anotherPayloadIsDone(message))
    .map(({ messageId, key, seq }) => {
      const end = reading.of('settled').find((settled) => settled.messageId === messageId)
      return {
        kind: 'fault-free-not-done',
        key,
        sentence: `${messageId} (key ${key}) was not done, although no fault was planned${end ? `: ${endText(end)}` : ''}`,
        events: [seq, ...lastEnds(messageId, key, reading), ...(end ? [end.seq] : [])],
      }
    })
}

function endText({ as, reason, atUs }: EventOf<'settled'>): string {
  const at = msText(atUs)
  if (as === 'dead-lettered') return `it was dead-lettered at ${at}${reason ? ` as "${reason}"` : ' without a reason'}`
  return as === 'refused' ? `it was refused at ${at}` : `the broker dropped it at ${at} (${as})`
}

/** The end of the last finished delivery of the message. */
function lastEnds(messageId: string, key: string, reading: HistoryIndex): number[] {
  const ends = reading
    .deliveriesOf(key)
    .flatMap(({ delivered, answered, threw }) => (delivered.messageId === messageId ? (answered ?? threw ?? []) : []))
  return ends.map(({ seq }) => seq).slice(-1)
}

function notOneEffect(reading: HistoryIndex): Violation[] {
  const keys = new Set(reading.of('published').map(({ key }) => key))
  return [...keys].flatMap((key) => {
    const effects = reading.standingOf(key)
    if (effects.length === 1) return []
    const sentence = `the key ${key} has ${effects.length} effects instead of one, although no fault was planned`
    return [{ kind: 'fault-free-effects', key, sentence, events: effects.map(({ seq }) => seq) }]
  })
}

function judge(history: History): Verdict {
  const reading = indexHistory(history)
  const whereSupported = deadLetteredForNothing(history, reading)
  if (!history.header.faultFree) return conclude(reading, { whereSupported })
  const reported = new Set(whereSupported.map(({ key }) => key))
  const atEnd = [...notDone(reading), ...notOneEffect(reading)].filter(({ key }) => !reported.has(key))
  return conclude(reading, { whereSupported, atEnd })
}

export const noNeedlessPark: Invariant = {
  name: 'no-needless-park',
  about:
    'Nothing is dead-lettered without a cause. Without faults, every message is done and every key has one effect.',
  demand: 'Nothing is dead-lettered without a cause. Without faults everything is done.',
  broken: 'a message was dead-lettered without a cause',
  remedies: {
    'dead-lettered-for-nothing': 'The layer should have performed the effect and answered done.',
    'dead-lettered-in-place-of-asking':
      'The layer should have asked the sink, or sent the effect again, until the sink answered.',
    'fault-free-not-done': 'Without faults, every message should be done.',
    'fault-free-effects': 'Without faults, every key should have exactly one effect.',
  },
  judge,
}
