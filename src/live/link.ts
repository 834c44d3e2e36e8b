/** What lies between one consumer and one node, as faults reach it. */

export type Direction = 'to-node' | 'to-process'

export const directions: readonly Direction[] = ['to-node', 'to-process']

export interface Link {
  /** Nothing passes that way, and nothing is lost: it passes once the direction is free. False where it was so before. */
  block(direction: Direction): Promise<boolean>
  /** Whether the direction is free now: another fault may block it too. */
  unblock(direction: Direction): Promise<boolean>
  /** Everything takes that much longer, in both directions; negative to take it back. */
  slow(extraMs: number): Promise<void>
}
