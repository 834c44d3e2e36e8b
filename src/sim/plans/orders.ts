/** Messages and copies at fixed times, for plans in which their order matters. */
import type { PlannedFault, PlannedMessage } from '../../contract/api/plan.ts'

/** A message with a plain key. Orders are counted from 1. */
export function plainOrder(order: number, publishAtMs: number): PlannedMessage {
  return { key: `order-${order}`, payload: { order, amountCents: 100 * order }, publishAtMs }
}

interface PlannedCopy {
  /** The index of a message, from 0. The message must be published before the copy. */
  readonly of: number
  readonly atMs: number
}

/**
 * The faults that make `copies`. No other fault of the plan may make copies, because `message` of a
 * fault counts everything that the broker has published, including copies.
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
