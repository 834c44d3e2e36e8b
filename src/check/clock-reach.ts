/**
 * The reach of a clock fault, in machines and in time: the keys about which the fault may have left
 * a layer in doubt.
 *
 * - A fault of a consumer's clock reaches the keys whose deliveries the consumer handled while its
 *   clock was wrong.
 * - A fault of the clock of Redis reaches every key that was published before the clock was right
 *   again, or later, but by no more than the clock had been ahead. Until then, times from the wrong
 *   clock are in the future.
 *
 * When a clock step heals, the clock is right again. A clock that was frozen or drifted stays wrong
 * when it resumes its normal pace.
 */
import type { HistoryEvent, RunHeader } from '../contract/api/history.ts'
import { type EventOf, endOfDelivery, type HistoryIndex } from '../contract/api/history-index.ts'
import { planned } from './planned.ts'
import { slotName } from './slot-name.ts'

const isClockFault = ({ fault }: EventOf<'fault-struck'>): boolean => fault.startsWith('clock-')

interface Wrong {
  readonly struck: EventOf<'fault-struck'>
  /** When the fault was over; Infinity if it never was. */
  readonly healedUs: number
  /** When the clock was right again; Infinity if it stayed wrong. */
  readonly untilUs: number
  /** `redis`, or a consumer slot; null if the history does not show it. */
  readonly machine: string | null
  readonly aheadUs: number
}

function wrongOf(struck: EventOf<'fault-struck'>, header: RunHeader, reading: HistoryIndex): Wrong {
  const { machine, byMs } = planned(struck, header)
  const healed = reading
    .of('fault-healed')
    .find(({ fault, index, seq }) => fault === struck.fault && index === struck.index && seq > struck.seq)
  const healedUs = healed?.atUs ?? Number.POSITIVE_INFINITY
  const named = typeof machine === 'number' ? (machine < 0 ? 'redis' : `consumer-${machine + 1}`) : struck.process
  return {
    struck,
    healedUs,
    untilUs: struck.fault === 'clock-step' ? healedUs : Number.POSITIVE_INFINITY,
    machine: named === undefined ? null : slotName(named),
    aheadUs: typeof byMs === 'number' ? Math.abs(byMs) * 1000 : 0,
  }
}

function reaches(
  { struck, untilUs, machine, aheadUs }: Wrong,
  key: string,
  deadLetteredSeq: number,
  reading: HistoryIndex,
) {
  if (machine === null || machine === 'redis')
    return reading.ofKey('published', key).some(({ atUs }) => atUs <= untilUs + aheadUs)
  return reading.deliveriesOf(key).some((delivery) => {
    const { process, seq, atUs } = delivery.delivered
    if (seq > deadLetteredSeq || slotName(process) !== machine) return false
    const end = endOfDelivery(delivery)
    return atUs <= untilUs && (end === undefined || end.seq > struck.seq)
  })
}

/**
 * A period in which the clock may have been read: it starts at `fromUs` and ends before the event
 * `untilSeq`, at `untilUs`.
 */
interface Span {
  readonly fromUs: number
  readonly untilSeq: number
  readonly untilUs: number
}

/**
 * True if one fault of the machine's clock can explain that the clock was `aheadMs` ahead at some
 * time of the span: the fault must change the clock in the same direction, and by at least as much
 * (with a tolerance of `leewayMs`). False if the header has no plan, because the maximum is then
 * unknown.
 */
export function clockWasOffBy(
  process: string,
  { aheadMs, leewayMs }: { readonly aheadMs: number; readonly leewayMs: number },
  { fromUs, untilSeq, untilUs }: Span,
  header: RunHeader,
  reading: HistoryIndex,
): boolean {
  return reading.of('fault-struck').some((struck) => {
    if (struck.seq >= untilSeq || !isClockFault(struck)) return false
    const wrong = wrongOf(struck, header, reading)
    if (wrong.machine !== slotName(process) || wrong.untilUs < fromUs) return false
    const mostMs = mostAheadMs(wrong, untilUs, header)
    return Math.sign(mostMs) === Math.sign(aheadMs) && Math.abs(aheadMs) <= Math.abs(mostMs) + leewayMs
  })
}

/**
 * How far the clock of the process's machine was ahead at the event because of faults, in
 * milliseconds; negative if it was behind.
 */
export function clockAheadMs(
  process: string,
  { seq, atUs }: Pick<HistoryEvent, 'seq' | 'atUs'>,
  header: RunHeader,
  reading: HistoryIndex,
): number {
  const wrong = reading
    .of('fault-struck')
    .filter((struck) => struck.seq < seq && isClockFault(struck))
    .map((struck) => wrongOf(struck, header, reading))
    .filter(({ machine, untilUs }) => machine === slotName(process) && untilUs > atUs)
  return wrong.reduce((sum, one) => sum + mostAheadMs(one, atUs, header), 0)
}

/**
 * The maximum by which the fault puts the clock ahead until `untilUs`, in milliseconds; negative if
 * the clock is behind.
 */
function mostAheadMs({ struck, healedUs }: Wrong, untilUs: number, header: RunHeader): number {
  const { byMs, percent } = planned(struck, header)
  const lastedMs = (Math.min(healedUs, untilUs) - struck.atUs) / 1000
  if (struck.fault === 'clock-frozen') return -lastedMs
  return struck.fault === 'clock-drift' ? (lastedMs * Number(percent ?? 0)) / 100 : Number(byMs ?? 0)
}

/** True if a clock had gone wrong before the dead-lettering and could affect the key. */
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
