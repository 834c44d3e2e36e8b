/** What lies between one consumer and one node, as faults reach it. */
import type { FlowDirection, LinkDirection } from '../../run/actions.ts'

export const directions: readonly FlowDirection[] = ['to-node', 'to-process']

export const flowsOf = (direction: LinkDirection): readonly FlowDirection[] =>
  direction === 'both' ? directions : [direction]

export interface LiveLink {
  /**
   * Nothing passes that way, and nothing is lost: it passes once the direction is free. False where
   * it was so before.
   */
  block(direction: FlowDirection): Promise<boolean>
  /** Whether the direction is free now: another fault may block it too. */
  unblock(direction: FlowDirection): Promise<boolean>
  /** Everything takes that much longer, in both directions; negative to take it back. */
  slow(extraMs: number): Promise<void>
}
