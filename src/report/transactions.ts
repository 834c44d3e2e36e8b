/**
 * Finds the commands that each EXEC of a history executed. A command inside of MULTI is queued; the
 * EXEC executes it and returns its reply. A history does not distinguish connections. So if two
 * connections of one process have open transactions, the owner of each command is unknown.
 */
import type { EventOf, HistoryIndex } from '../contract/api/history-index.ts'

type Command = EventOf<'command'>

export interface Transaction {
  readonly exec: Command
  /**
   * The commands that were queued or refused since MULTI. If `isCertain` is false, they include
   * commands of other transactions of the process.
   */
  readonly commands: readonly Command[]
  readonly isCertain: boolean
}

interface Open {
  count: number
  isCertain: boolean
  commands: Command[]
}

export const isQueued = ({ reply }: Command): boolean => reply === 'QUEUED'

const nameOf = ({ command }: Command): string => command.split(' ', 1)[0]!.toLowerCase()

/** The transactions in the order of their EXECs. */
export function transactionsOf(reading: HistoryIndex): Transaction[] {
  const found: Transaction[] = []
  const opens = new Map<string, Open>()
  const broken = [...reading.of('request-lost'), ...reading.of('reply-lost')]
  const events = [...reading.of('command'), ...broken].sort((a, b) => a.seq - b.seq)
  for (const event of events) {
    // A connection has ended, and its open transaction with it.
    if (event.type !== 'command')
      for (const [name, { count }] of opens) if (count === 1 && isOf(name, event)) opens.delete(name)
    if (event.type !== 'command') continue
    const place = `${event.process} ${event.node ?? ''}`
    const open = opens.get(place) ?? { count: 0, isCertain: true, commands: [] }
    opens.set(place, open)
    const name = nameOf(event)
    if (name === 'multi') {
      open.count++
      open.isCertain &&= open.count === 1
    } else if (name === 'exec' || name === 'discard') {
      if (name === 'exec')
        found.push({ exec: event, commands: [...open.commands], isCertain: open.isCertain && open.count === 1 })
      open.count--
      if (open.count <= 0) opens.delete(place)
    } else if (isQueued(event) || (open.count > 0 && event.reply.startsWith('error '))) open.commands.push(event)
  }
  return found
}

const isOf = (place: string, { process }: { readonly process: string }): boolean => place.startsWith(`${process} `)

/**
 * The EXEC that executed a queued command; null if the command was not executed, or if that is
 * unknown.
 */
export function executedBy(queued: Command, transactions: readonly Transaction[]): Command | null {
  const own = transactions.find(({ commands }) => commands.includes(queued))
  return own?.isCertain && own.exec.reply.startsWith('[') ? own.exec : null
}
