/**
 * The invariant: no answer claims something that did not happen. Kinds of violations:
 *
 * - `done-without-effect`: a handler answered `done`, and by the end of the run the sink had
 *   applied nothing for the key.
 * - `done-then-lost`: as `done-without-effect`, because the database had lost the commit of the
 *   effect.
 * - `done-then-cancelled`: as `done-without-effect`, because every effect of the key had been
 *   cancelled.
 * - `refused-without-refusal`: a handler answered `refused`, although the sink had not permanently
 *   refused a request for the key before. The rejection of a stale fence is not a permanent
 *   refusal.
 * - `refused-then-applied`: a handler answered `refused`, and the sink applied the effect later,
 *   although `refused` says that no effect will come.
 * - `refused-though-applied`: a handler answered `refused`, although an effect had been committed
 *   before at a transactional sink.
 *
 * Only the last two kinds compare payloads: an answer that belongs to another payload is a
 * violation of `payload-bound`.
 */
import type { History } from '../contract/api/history.ts'
import { type DeliveryRecord, type EventOf, type HistoryIndex, indexHistory } from '../contract/api/history-index.ts'
import type { Invariant, Verdict, Violation } from '../contract/api/verdict.ts'
import { msText } from '../contract/results/time-text.ts'
import { conclude } from './conclude.ts'

function falseDone(key: string, answered: EventOf<'answered'>, reading: HistoryIndex): Violation | null {
  if (reading.standingOf(key).length > 0) return null
  const ended = reading.of('ended').at(-1)
  const done = `${answered.process} answered done for ${key} at ${msText(answered.atUs)}`
  const lost = reading.of('data-lost').find(({ seq, effects }) => seq > answered.seq && effects?.includes(key))
  if (lost !== undefined) {
    const sentence = `${done}, and the database lost the commit of its effect at ${msText(lost.atUs)}`
    const events = [answered.seq, lost.seq, ...(ended ? [ended.seq] : [])]
    return { kind: 'done-then-lost', key, sentence, events }
  }
  const cancelled = reading.ofKey('effect-cancelled', key).findLast(({ effects }) => effects.length > 0)
  if (cancelled !== undefined) {
    const took = `${cancelled.process} cancelled its last effect at ${msText(cancelled.atUs)}`
    const events = [answered.seq, cancelled.seq].sort((a, b) => a - b)
    return { kind: 'done-then-cancelled', key, sentence: `${done}, and ${took}`, events }
  }
  return {
    kind: 'done-without-effect',
    key,
    sentence: `${done}, but the sink never applied its effect`,
    events: ended ? [answered.seq, ended.seq] : [answered.seq],
  }
}

function falseRefusal(key: string, answered: EventOf<'answered'>, reading: HistoryIndex): Violation | null {
  const refusals = reading.ofKey('effect-refused', key).filter(({ reason }) => reason === 'refused')
  if (refusals.some(({ seq }) => seq < answered.seq)) return null
  return {
    kind: 'refused-without-refusal',
    key,
    sentence: `${answered.process} answered refused for ${key} at ${msText(answered.atUs)}, but the sink had not refused it`,
    events: [answered.seq],
  }
}

function appliedLater(delivery: DeliveryRecord, reading: HistoryIndex): Violation | null {
  const { delivered, answered } = delivery
  const { key, fingerprint } = delivered
  const applied = reading
    .standingOf(key)
    .find((effect) => effect.seq > answered!.seq && effect.fingerprint === fingerprint)
  if (applied === undefined) return null
  return {
    kind: 'refused-then-applied',
    key,
    sentence:
      `${answered!.process} answered refused for ${key} at ${msText(answered!.atUs)}, ` +
      `but the sink applied its effect for ${applied.process} at ${msText(applied.atUs)}`,
    events: [answered!.seq, applied.seq],
  }
}

/**
 * Used only for transactional sinks. With other sinks, the layer may not know yet that another
 * request was applied.
 */
function appliedBefore({ delivered, answered }: DeliveryRecord, reading: HistoryIndex): Violation | null {
  const { key, fingerprint } = delivered
  const applied = reading
    .standingOf(key)
    .find((effect) => effect.seq < answered!.seq && effect.fingerprint === fingerprint)
  if (applied === undefined) return null
  return {
    kind: 'refused-though-applied',
    key,
    sentence:
      `${answered!.process} answered refused for ${key} at ${msText(answered!.atUs)}, ` +
      `but the sink had applied its effect for ${applied.process} at ${msText(applied.atUs)}`,
    events: [applied.seq, answered!.seq],
  }
}

function judge(history: History): Verdict {
  const reading = indexHistory(history)
  const atEnd: Violation[] = []
  const refusals: Violation[] = []
  for (const delivery of reading.deliveries.values()) {
    const { delivered, answered } = delivery
    if (!answered) continue
    const { status } = answered.outcome
    const done = status === 'done' ? falseDone(delivered.key, answered, reading) : null
    const refused = status === 'refused' ? falseRefusal(delivered.key, answered, reading) : null
    const later = status === 'refused' ? appliedLater(delivery, reading) : null
    const before =
      status === 'refused' && history.header.sink === 'transactional' ? appliedBefore(delivery, reading) : null
    if (done) atEnd.push(done)
    if (before) refusals.push(before)
    if (refused) refusals.push(refused)
    // On a cancellable sink, the effect may still be cancelled.
    if (later) (history.header.sink === 'cancellable' ? atEnd : refusals).push(later)
  }
  return conclude(reading, { whereSupported: refusals, atEnd })
}

export const noFalseDone: Invariant = {
  name: 'no-false-done',
  about: 'Done is answered only for an applied effect, refused only for an effect that the sink refused.',
  demand: 'Done is answered only for an applied effect, refused only for an effect that the sink refused.',
  broken: 'an answer claimed an effect that had not happened',
  remedies: {
    'done-without-effect': "Done should be answered only with the sink's receipt in hand.",
    'done-then-lost': 'Done should be answered only when the commit is on a disk or standby that outlives the server.',
    'done-then-cancelled':
      'An attempt should cancel only its own effect, never one that another attempt answered done for.',
    'refused-then-applied': 'Refused should be answered only when no request for the key can still be applied.',
    'refused-though-applied': 'Refused should be answered only when no effect of the key is on record.',
    'refused-without-refusal': 'Refused should be answered only when the sink has refused for good.',
  },
  judge,
}
