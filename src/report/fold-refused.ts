/**
 * Folds commands that Cluster nodes did not execute because they do not serve the key. A client
 * retries until a node serves the key, and the key does not change in the meantime. So only the
 * first refused command of a process is shown, with the number of further commands that were
 * refused until one was executed. Other events in between are shown as usual.
 */
import type { HistoryEvent } from '../contract/api/history.ts'
import type { EventOf } from '../contract/api/history-index.ts'
import type { Violation } from '../contract/api/verdict.ts'

/** Counts the omitted commands after one shown command. */
export interface Refused {
  /** `seq` of the refused command that is shown; the omitted ones follow it. */
  readonly afterSeq: number
  readonly process: string
  readonly commands: number
  /** The first words of the errors, in the order of their first occurrence. */
  readonly answers: readonly string[]
  /** The time of the last omitted command. */
  readonly untilUs: number
}

/** The error codes of a node that does not execute a command. */
const refusal = /^error (MOVED|ASK|CLUSTERDOWN|TRYAGAIN)\b/

/** Folds the refused commands of `events`, which must be in order. */
export function foldRefused<E extends HistoryEvent>(
  events: readonly E[],
  { events: showing }: Pick<Violation, 'events'>,
): { readonly events: readonly E[]; readonly refused: readonly Refused[] } {
  const left = new Set<HistoryEvent>()
  const refused: Refused[] = []
  for (const stretch of stretchesOf(events)) {
    const [first, ...others] = stretch.filter(({ seq }) => !showing.includes(seq))
    // The count takes one line, so it must replace at least two lines.
    if (first === undefined || others.length < 2) continue
    for (const other of others) left.add(other)
    const answers = [...new Set([first, ...others].map((one) => answerOf(one)!))]
    const { process, seq } = first
    refused.push({ afterSeq: seq, process, commands: others.length, answers, untilUs: others.at(-1)!.atUs })
  }
  return { events: events.filter((event) => !left.has(event)), refused }
}

/** True if the command was not executed, so that its client retries. */
export const isRefused = (command: EventOf<'command'>): boolean => answerOf(command) !== undefined

const answerOf = ({ reply }: EventOf<'command'>): string | undefined => refusal.exec(reply)?.[1]

/** Sequences of refused commands of one process, without a command in between that was executed. */
function stretchesOf(events: readonly HistoryEvent[]): EventOf<'command'>[][] {
  const stretches: EventOf<'command'>[][] = []
  const open = new Map<string, EventOf<'command'>[]>()
  for (const event of events) {
    if (event.type !== 'command') continue
    const { process } = event
    if (!isRefused(event)) open.delete(process)
    else if (open.has(process)) open.get(process)!.push(event)
    else {
      const begun = [event]
      open.set(process, begun)
      stretches.push(begun)
    }
  }
  return stretches
}
