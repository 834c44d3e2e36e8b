/** Describes why a store could not reply to an attempt before the attempt performed. */
import type { EventOf } from '../../../contract/api/history-index.ts'
import type { ExecutedCommand } from '../../../sim/world.ts'
import type { Evidence } from './evidence.ts'

/** The fault as a clause; null for a fault that does not separate the process from Redis. */
function clauseOf({ fault, sentence }: EventOf<'fault-struck'>, process: string): string | null {
  if (fault === 'redis-restart') return 'Redis was down'
  if (fault === 'half-open') return `the connections of ${process} to Redis were half open`
  return fault === 'partition' && /\bredis\b/.test(sentence) ? `${process} was cut off from Redis` : null
}

/**
 * A clause such as `, while Redis was down`; empty if the process could reach Redis between the two
 * facts.
 */
export function whileAway({ reading }: Evidence, process: string, fromSeq: number, untilSeq: number): string {
  const healed = new Map(reading.of('fault-healed').map(({ index, seq }) => [index, seq]))
  const clause = reading
    .of('fault-struck')
    .filter((struck) => strikes(struck, process))
    .filter(({ index, seq }) => seq < untilSeq && (healed.get(index) ?? untilSeq) > fromSeq)
    .map((struck) => clauseOf(struck, process))
    .findLast((one) => one !== null)
  return clause === undefined ? '' : `, while ${clause}`
}

/**
 * True if the fault struck the process. A partition that struck at a planned time names no process,
 * so the consumer is taken from its sentence.
 */
function strikes({ fault, process: struck, sentence }: EventOf<'fault-struck'>, process: string): boolean {
  if (fault !== 'partition') return struck === undefined || struck === process
  const consumer = process.replace(/\.\d+$/, '')
  return new RegExp(`\\b${consumer}\\b`).test(sentence)
}

/**
 * True if the command was executed, but its process had not received the reply before `untilSeq`.
 */
export function isUnheard(evidence: Evidence, { process, label, seq }: ExecutedCommand, untilSeq: number): boolean {
  const { reading, history } = evidence
  const isLost = reading
    .of('reply-lost')
    .some((lost) => lost.process === process && lost.command === label && lost.seq >= seq && followsAtOnce(lost.seq))
  const died = reading
    .of('fault-struck')
    .find(({ fault, boundary, seq: at }) => fault === 'redis-restart' && boundary === 'command-executed' && at >= seq)
  return isLost || (died !== undefined && died.seq < untilSeq && isNext(died.sentence))

  /**
   * True if only faults lie between the command and the loss, since a history records the fault
   * directly before the loss, and commands of the process and other losses at that moment: the
   * replies to commands that are sent together are lost together.
   */
  function followsAtOnce(lostSeq: number): boolean {
    const { atUs } = history.events[lostSeq]!
    return history.events.slice(seq, lostSeq).every((event) => {
      if (event.type === 'fault-struck') return true
      return (
        (event.type === 'command' || event.type === 'reply-lost') && event.process === process && event.atUs === atUs
      )
    })
  }

  function isNext(sentence: string): boolean {
    return sentence.includes(`${process}: after its ${label} executed`)
  }
}
