/** Evidence that a command got no reply, as a fault requires. */

import { refuted, type Seen, seen, unseen } from './evidence.ts'
import type { Exchanges } from './exchanges.ts'

export interface LostCommand {
  readonly process: string
  /** The number of the process's labelled command. */
  readonly command: number
  readonly label: string
}

/**
 * The evidence of the loss. The process must also have noticed the end of its connection. A reply
 * that was lost in a crash does not count.
 */
export function seenOfLoss({ process, command, label }: LostCommand, exchanges: Exchanges): Seen {
  const exchange = exchanges.ofCommand(process, command)
  if (exchange === null) return unseen(`${label} of ${process} was never sent`)
  if (exchange.answeredMs !== null) return refuted(`the reply to ${label} of ${process} arrived anyway`)
  const stillOpen = exchange.connection !== null && exchanges.isOpen(process, exchange.connection)
  return stillOpen ? unseen(`${process} never noticed that its connection broke`) : seen
}
