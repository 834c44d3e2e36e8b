/**
 * Commands that nodes of a Cluster did not execute, since they serve the key no more or not yet. A
 * client tries again and again until one of them serves it: nothing happens to the record
 * meanwhile, so the first such reply of a process is told, and how many of its commands were
 * answered so until one was executed. What comes in between is told as ever.
 */
import type { HistoryEvent } from '../contract/api/history.ts'
import type { EventOf } from '../contract/api/history-index.ts'
import type { Violation } from '../contract/api/verdict.ts'

/** What stands for those that are left out. */
export interface Refused {
  /** The first of them, which is told. */
  readonly afterSeq: number
  readonly process: string
  readonly commands: number
  /** The errors' first words, in the order in which they came first. */
  readonly answers: readonly string[]
  /** When the last of them was. */
  readonly untilUs: number
}

/** The first word of an error by which a node says that it does not execute the command. */
const refusal = /^error (MOVED|ASK|CLUSTERDOWN|TRYAGAIN)\b/

/** `events`: in order. */
export function foldRefused<E extends HistoryEvent>(
  events: readonly E[],
  { events: showing }: Pick<Violation, 'events'>,
): { readonly events: readonly E[]; readonly refused: readonly Refused[] } {
  const left = new Set<HistoryEvent>()
  const refused: Refused[] = []
  for (const stretch of stretchesOf(events)) {
    const [first, ...others] = stretch.filter(({ seq }) => !showing.includes(seq))
    // One line less in exchange for one line more is nothing gained.
    if (first === undefined || others.length < 2) continue
    for (const other of others) left.add(other)
    const answers = [...new Set([first, ...others].map((one) => answerOf(one)!))]
    const { process, seq } = first
    refused.push({ afterSeq: seq, process, commands: others.length, answers, untilUs: others.at(-1)!.atUs })
  }
  return { events: events.filter((event) => !left.has(event)), refused }
}

/** Whether it was not executed, and its client tries again elsewhere or later. */
export const isRefused = (command: EventOf<'command'>): boolean => answerOf(command) !== undefined

const answerOf = ({ reply }: EventOf<'command'>): string | undefined => refusal.exec(reply)?.[1]

/** Of each process: commands that were refused with none in between that was executed. */
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
