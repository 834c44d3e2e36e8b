import type { FailoverState, Primary } from './instance.ts'
import type { Sentinel } from './sentinel.ts'

/** A failover is in that state from now on. */
export function enter(sentinel: Sentinel, primary: Primary, state: FailoverState): void {
  primary.failoverState = state
  primary.failoverStateMs = sentinel.nowMs
}
