import type { FailoverState, Primary } from './instance.ts'
import type { Sentinel } from './sentinel.ts'

export function enter(sentinel: Sentinel, primary: Primary, state: FailoverState): void {
  primary.failoverState = state
  primary.failoverStateMs = sentinel.nowMs
}
