/** Whether a command got no reply, as a fault wanted it. */

import { refuted, type Seen, seen, unseen } from './evidence.ts'
import type { Exchanges } from './exchanges.ts'

export interface LostCommand {
  readonly process: string
  /** Which of the process's labelled commands. */
  readonly command: number
  readonly label: string
}

/**
 * That the process noticed the end of its connection is part of it: a reply that a crash took is
 * another matter.
 */
export function seenOfLoss({ process, command, label }: LostCommand, exchanges: Exchanges): Seen {
  const exchange = exchanges.ofCommand(process, command)
  if (exchange === null) return unseen(`${label} of ${process} was never sent`)
  if (exchange.answeredMs !== null) return refuted(`the reply to ${label} of ${process} arrived anyway`)
  const stillOpen = exchange.connection !== null && exchanges.isOpen(process, exchange.connection)
  return stillOpen ? unseen(`${process} never noticed that its connection broke`) : seen
}
