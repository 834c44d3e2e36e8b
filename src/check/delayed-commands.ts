/**
 * Detects commands that were delayed or refused. The caller of a delayed command may have given up
 * before the command was executed, or before the reply arrived. Then no reply is lost, but the
 * command still took effect. A refused command wrote nothing, so the record may lack an action of
 * the layer.
 */
import type { RunHeader } from '../contract/api/history.ts'
import { type DeliveryRecord, type EventOf, endOfDelivery, type HistoryIndex } from '../contract/api/history-index.ts'
import { type PlannedFault, slotOf } from '../contract/api/plan.ts'
import { planned } from './planned.ts'
import { slotName } from './slot-name.ts'

function concerns(struck: EventOf<'fault-struck'>, process: string, header: RunHeader): boolean {
  const delays = header.delays[struck.fault]
  if (delays === undefined) return false
  if (delays === 'all') return true
  const fault = planned(struck, header)
  if (fault.node === 'sink' || fault.node === 'broker') return false
  // A fault that is aimed at commands by label strikes any process that sends such a command, so
  // the plan does not contain the process.
  const slot = struck.process ?? (fault.when === undefined ? null : `consumer-${slotOf(fault as PlannedFault) + 1}`)
  return slot !== null && slotName(slot) === slotName(process)
}

/**
 * Commands that were executed after their client had abandoned them, for example because its
 * process had ended.
 */
export const executedLate = (reading: HistoryIndex): EventOf<'command-strayed'>[] =>
  reading.of('command-strayed').filter(({ how }) => how === 'given-up' || how === 'outlived')

/** True if the delivery was open at some time from `fromUs` to `untilUs`. */
function wasOpen(delivery: DeliveryRecord, fromUs: number, untilUs: number): boolean {
  const endUs = endOfDelivery(delivery)?.atUs ?? Number.POSITIVE_INFINITY
  return delivery.delivered.atUs <= untilUs && endUs >= fromUs
}

/**
 * True if the process resumed, then received the sink's answer, and answered done. In this case,
 * the pause did not delay the command that records the effect.
 */
function learnedSince(
  { delivered, answered }: DeliveryRecord,
  pause: EventOf<'process-paused'>,
  reading: HistoryIndex,
): boolean {
  if (answered?.outcome.status !== 'done') return false
  const { key, deliveryId } = delivered
  const resumed = reading.of('process-resumed').find(({ process, seq }) => process === pause.process && seq > pause.seq)
  return reading
    .requestsOf(key)
    .some(
      ({ sent, answered: heard }) =>
        sent.deliveryId === deliveryId &&
        heard?.answer === 'receipt' &&
        resumed !== undefined &&
        heard.seq > resumed.seq,
    )
}

/**
 * True if a command that the process sent for this delivery, before the dead-lettering, may have
 * been executed or answered too late for its caller.
 */
export function wasDelayed(
  delivery: DeliveryRecord,
  deadLetteredSeq: number,
  header: RunHeader,
  reading: HistoryIndex,
): boolean {
  const { process } = delivery.delivered
  const orphaned = executedLate(reading)
    .filter(({ seq, process: whose }) => seq < deadLetteredSeq && whose === process)
    .some(({ atUs, forUs }) => wasOpen(delivery, atUs - forUs, atUs - forUs))
  if (orphaned) return true
  const paused = reading
    .of('process-paused')
    .filter((pause) => pause.seq < deadLetteredSeq && pause.process === process)
    .some((pause) => wasOpen(delivery, pause.atUs, pause.atUs) && !learnedSince(delivery, pause, reading))
  if (paused) return true
  return reading
    .of('fault-struck')
    .filter((struck) => struck.seq < deadLetteredSeq && concerns(struck, process, header))
    .some((struck) => {
      const healed = reading
        .of('fault-healed')
        .find(({ fault, index, seq }) => fault === struck.fault && index === struck.index && seq > struck.seq)
      return wasOpen(delivery, struck.atUs, healed?.atUs ?? Number.POSITIVE_INFINITY)
    })
}
