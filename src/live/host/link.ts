/** The link between one consumer and one node, on which faults act. */
import type { FlowDirection, LinkDirection } from '../../run/actions.ts'

export const directions: readonly FlowDirection[] = ['to-node', 'to-process']

export const flowsOf = (direction: LinkDirection): readonly FlowDirection[] =>
  direction === 'both' ? directions : [direction]

export interface LiveLink {
  /**
   * Holds back the traffic in that direction until it is unblocked; nothing is lost. Returns false
   * if it was already blocked.
   */
  block(direction: FlowDirection): Promise<boolean>
  /**
   * Undoes one block. Returns true if the direction is free now. Another fault may still block it.
   */
  unblock(direction: FlowDirection): Promise<boolean>
  /** Delays everything in both directions by that much more. A negative value undoes this. */
  slow(extraMs: number): Promise<void>
}
