/**
 * After faults healed and the world was drained, every message is done, refused, or dead-lettered
 * with a reason; one that was accepted has its effect, or the sink's refusal.
 *
 * Messages are told apart by id; a copy that the broker published itself has the same id, so one
 * good settlement is enough for it. Kinds: `given-up` (the broker's attempts ran out; stands even
 * when a budget was spent), `dead-lettered-without-reason`; `handler-never-answers`
 * (hanging-handlers.ts); `never-settled`, and `accepted-and-forgotten` (judged only of a whole run:
 * the world waits for every fault that heals, and, where something was accepted, for as long as the
 * layer may take to recover). Which payload the effect has is judged by `payload-bound`. A message
 * that the broker passed over is the broker's loss, which no layer can prevent. One that it gave up
 * sooner after the last fault than the layer declares to need proves nothing: the checker cannot
 * tell. One that a handler had answered for is not lost (`answered-too-late.ts`), nor is one whose
 * last handler was told that the sink refuses it for good, and threw that on: it is called until
 * the broker has had enough, and nothing was to come of the message.
 */
import type { History, RunHeader } from '../contract/api/history.ts'
import { type EventOf, type HistoryIndex, indexHistory, isOpenAt } from '../contract/api/history-index.ts'
import type { Outcome } from '../contract/api/message.ts'
import type { Invariant, Verdict, Violation } from '../contract/api/verdict.ts'
import { elapsedText, msText } from '../contract/results/time-text.ts'
import { answeredTooLate } from './answered-too-late.ts'
import { conclude } from './conclude.ts'
import { hangingHandlers } from './hanging-handlers.ts'
import { healedAtUs } from './healing.ts'

type Settled = EventOf<'settled'>

const isReason = ({ reason }: { readonly reason?: string }): boolean => reason !== undefined && reason.trim() !== ''
/** Dead-lettered is what only the broker makes of a message. */
const isGoodAnswer = ({ status }: Outcome): boolean => status === 'done' || status === 'refused'
const isGood = (settled: Settled): boolean =>
  settled.as === 'done' || settled.as === 'refused' || (settled.as === 'dead-lettered' && isReason(settled))

const isPromise = ({ status }: Outcome): boolean => status === 'accepted'

/**
 * What was promised of a key by `accepted` came about: the sink has applied its effect, or refused
 * it for good.
 */
const isDecided = (key: string, reading: HistoryIndex): boolean =>
  reading.standingOf(key).length > 0 || reading.ofKey('effect-refused', key).some(({ reason }) => reason === 'refused')

/** One per message: a copy has the id of its original. */
function firstOfEach(published: readonly EventOf<'published'>[]): readonly EventOf<'published'>[] {
  const seen = new Set<string>()
  return published.filter(({ messageId }) => !seen.has(messageId) && seen.add(messageId))
}

function badly({ messageId, key, seq }: EventOf<'published'>, settled: Settled): Violation {
  const at = msText(settled.atUs)
  return settled.as === 'given-up'
    ? {
        kind: 'given-up',
        key,
        sentence: `the broker gave up on ${messageId} (key ${key}) at ${at}: its attempts ran out`,
        events: [seq, settled.seq],
      }
    : {
        kind: 'dead-lettered-without-reason',
        key,
        sentence: `${messageId} (key ${key}) was dead-lettered without a reason at ${at}`,
        events: [seq, settled.seq],
      }
}

/** May the layer, by the bound that it declares, still have put the message off? */
function isWithinBound(
  { atUs }: EventOf<'published'>,
  settled: Settled,
  { recoveryBoundFrom, recoveryBoundMs }: RunHeader,
  reading: HistoryIndex,
): boolean {
  if (recoveryBoundFrom !== 'layer') return false
  const quietUs = settled.atUs - Math.max(atUs, healedAtUs(reading))
  return quietUs <= recoveryBoundMs * 1000
}

/**
 * Was the last delivery told that the sink refuses this payload for good, and threw? Has the key no
 * effect at all? Deliveries of the key in one process may share a request: then the answer came
 * while it was open, and the one that had sent it threw as well.
 */
function isRefusedForGood(
  { messageId, key, fingerprint }: EventOf<'published'>,
  settled: Settled,
  reading: HistoryIndex,
): boolean {
  const last = reading
    .deliveriesOf(key)
    .findLast(({ delivered }) => delivered.messageId === messageId && delivered.seq < settled.seq)
  if (last?.threw === undefined || reading.standingOf(key).length > 0) return false
  const { deliveryId, process } = last.delivered
  return reading
    .requestsOf(key)
    .some(
      ({ sent, delivery, refused, answered }) =>
        sent.fingerprint === fingerprint &&
        refused?.reason === 'refused' &&
        answered?.answer === 'refused' &&
        (sent.deliveryId === deliveryId ||
          (sent.process === process && isOpenAt(last, answered) && delivery?.threw !== undefined)),
    )
}

/**
 * `promised`: its settlement, which the broker's giving up is where the answer came too late for
 * it.
 */
const forgotten = (
  { messageId, key, seq }: EventOf<'published'>,
  promised: { readonly seq: number; readonly atUs: number },
  ended: EventOf<'ended'>,
): Violation => ({
  kind: 'accepted-and-forgotten',
  key,
  sentence:
    `${messageId} (key ${key}) was accepted at ${msText(promised.atUs)}, and the sink had neither applied nor refused its effect ` +
    `at the end of the run (${msText(ended.atUs)})`,
  events: [seq, promised.seq, ended.seq],
})

const never = ({ messageId, key, seq }: EventOf<'published'>, ended: EventOf<'ended'>): Violation => ({
  kind: 'never-settled',
  key,
  sentence: `${messageId} (key ${key}) was neither done, refused nor dead-lettered at the end of the run (${msText(ended.atUs)})`,
  events: [seq, ended.seq],
})

function judge(history: History): Verdict {
  const reading = indexHistory(history)
  const published = firstOfEach(reading.of('published'))
  const ended = reading.of('ended').at(-1)
  const whereSupported: Violation[] = []
  const atEnd: Violation[] = []
  let doubt: string | null = null
  const hanging = hangingHandlers(history, reading)

  for (const message of published) {
    const settlements = reading.ofMessage('settled', message.messageId)
    if (settlements.some(isGood) || hanging.keeps(message.messageId)) continue
    const bad = settlements.findLast(({ as }) => as !== 'passed-over')
    const tooLate = bad?.as === 'given-up' ? answeredTooLate(bad, message.key, reading) : []
    if (tooLate.some(isGoodAnswer)) continue
    const promised = settlements.find(({ as }) => as === 'accepted') ?? (tooLate.some(isPromise) ? bad : undefined)
    if (promised !== undefined) {
      if (ended && !isDecided(message.key, reading)) atEnd.push(forgotten(message, promised, ended))
      continue
    }
    if (bad?.as === 'given-up' && isRefusedForGood(message, bad, reading)) continue
    if (bad?.as === 'given-up' && isWithinBound(message, bad, history.header, reading))
      doubt ??= `the broker gave up on ${message.messageId} before the layer's bound of ${elapsedText(history.header.recoveryBoundMs)} had passed`
    else if (bad) whereSupported.push(badly(message, bad))
    else if (ended && settlements.length === 0) atEnd.push(never(message, ended))
  }
  return conclude(reading, { whereSupported: [...hanging.violations, ...whereSupported], atEnd, doubt })
}

export const noLostMessage: Invariant = {
  name: 'no-lost-message',
  about: 'Every message ends done, refused, or dead-lettered with a reason. Accepted messages are performed.',
  demand: 'Every message ends done, refused, or dead-lettered with a reason. Accepted messages are performed.',
  broken: 'a message was lost',
  remedies: {
    'given-up': "The layer should have answered done, refused or dead-letter before the broker's attempts ran out.",
    'dead-lettered-without-reason': 'A dead-lettered message should carry a reason for the person who resolves it.',
    'accepted-and-forgotten':
      'An accepted message should stay on record until the sink has answered; mark it as sent only then.',
    'handler-never-answers':
      'The handler should have answered or thrown: each wait needs a timeout, so that the broker can redeliver.',
    'never-settled': 'The message should have ended done, refused, or dead-lettered with a reason.',
  },
  judge,
}
