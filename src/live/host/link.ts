/** The link between one consumer and one node, as faults see it. */
import type { FlowDirection, LinkDirection } from '../../run/actions.ts'

export const directions: readonly FlowDirection[] = ['to-node', 'to-process']

export const flowsOf = (direction: LinkDirection): readonly FlowDirection[] =>
  direction === 'both' ? directions : [direction]

export interface LiveLink {
  /**
   * Holds the traffic in that direction until it is unblocked; nothing is lost. False if it was
   * already blocked.
   */
  block(direction: FlowDirection): Promise<boolean>
  /** True if the direction is free now. Another fault may still block it. */
  unblock(direction: FlowDirection): Promise<boolean>
  /** Delays everything by that much more, in both directions. A negative value undoes it. */
  slow(extraMs: number): Promise<void>
}
