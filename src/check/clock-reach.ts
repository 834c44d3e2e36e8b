/**
 * How far a clock fault reaches, in machines and in time: the keys about which it may have left a layer in doubt.
 *
 * - The clock of a consumer: the keys whose deliveries it handled while its clock was wrong.
 * - The clock of Redis: every key that was published before the clock was right again, and for as long afterwards as the
 *   clock had been ahead: what was born under it is stamped with a time that is yet to come.
 *
 * A step heals without a trace. A clock that stood still or drifted stays wrong when it goes at its pace again.
 */
import type { RunHeader } from '../contract/history.ts'
import { type EventOf, endOfDelivery, type HistoryIndex } from '../contract/history-index.ts'
import { planned } from './planned.ts'
import { slotName } from './slot-name.ts'

const isClockFault = ({ fault }: EventOf<'fault-struck'>): boolean => fault.startsWith('clock-')

interface Wrong {
  readonly struck: EventOf<'fault-struck'>
  /** When the clock was right again; Infinity where it never was. */
  readonly untilUs: number
  /** `redis`, or a consumer slot; null where the history does not say. */
  readonly machine: string | null
  readonly aheadUs: number
}

function wrongOf(struck: EventOf<'fault-struck'>, header: RunHeader, reading: HistoryIndex): Wrong {
  const { machine, byMs } = planned(struck, header)
  const healed = reading
    .of('fault-healed')
    .find(({ fault, index, seq }) => fault === struck.fault && index === struck.index && seq > struck.seq)
  const named = typeof machine === 'number' ? (machine < 0 ? 'redis' : `consumer-${machine + 1}`) : struck.process
  return {
    struck,
    untilUs: struck.fault === 'clock-step' && healed ? healed.atUs : Number.POSITIVE_INFINITY,
    machine: named === undefined ? null : slotName(named),
    aheadUs: typeof byMs === 'number' ? Math.abs(byMs) * 1000 : 0,
  }
}

function reaches({ struck, untilUs, machine, aheadUs }: Wrong, key: string, parkedSeq: number, reading: HistoryIndex) {
  if (machine === null || machine === 'redis')
    return reading.ofKey('published', key).some(({ atUs }) => atUs <= untilUs + aheadUs)
  return reading.deliveriesOf(key).some((delivery) => {
    const { process, seq, atUs } = delivery.delivered
    if (seq > parkedSeq || slotName(process) !== machine) return false
    const end = endOfDelivery(delivery)
    return atUs <= untilUs && (end === undefined || end.seq > struck.seq)
  })
}

/** Was the clock of the process's machine wrong at some time from then on, and before that event? */
export function clockWasWrong(
  process: string,
  { fromUs, untilSeq }: { readonly fromUs: number; readonly untilSeq: number },
  header: RunHeader,
  reading: HistoryIndex,
): boolean {
  return reading.of('fault-struck').some((struck) => {
    if (struck.seq >= untilSeq || !isClockFault(struck)) return false
    const { machine, untilUs } = wrongOf(struck, header, reading)
    return machine === slotName(process) && untilUs >= fromUs
  })
}

/** Had a clock gone wrong before the parking, within whose reach the key was? */
export function clockWentWrong(
  key: string,
  { seq }: EventOf<'settled'>,
  header: RunHeader,
  reading: HistoryIndex,
): boolean {
  return reading
    .of('fault-struck')
    .filter((struck) => struck.seq < seq && isClockFault(struck))
    .some((struck) => reaches(wrongOf(struck, header, reading), key, seq, reading))
}
