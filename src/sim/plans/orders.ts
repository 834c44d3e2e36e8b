/**
 * Messages and copies that are set, not drawn: for plans in which it matters when which one comes.
 */
import type { PlannedFault, PlannedMessage } from '../../contract/api/plan.ts'

/** As plain as in an example. Orders count from 1. */
export function plainOrder(order: number, publishAtMs: number): PlannedMessage {
  return { key: `order-${order}`, payload: { order, amountCents: 100 * order }, publishAtMs }
}

interface PlannedCopy {
  /** Of the messages, counted from 0. It is published before. */
  readonly of: number
  readonly atMs: number
}

/**
 * The faults that make those copies, where nothing else makes any: faults count what the broker has
 * published, copies too.
 */
export function copiesOf(messages: readonly PlannedMessage[], copies: readonly PlannedCopy[]): PlannedFault[] {
  return copies.map(({ of, atMs }) => {
    const { publishAtMs } = messages[of]!
    const before =
      messages.filter((other, at) => other.publishAtMs < publishAtMs || (other.publishAtMs === publishAtMs && at < of))
        .length + copies.filter((other) => other.atMs < publishAtMs).length
    return { kind: 'duplicate-delivery', when: { at: 'time', ms: atMs }, message: before }
  })
}
