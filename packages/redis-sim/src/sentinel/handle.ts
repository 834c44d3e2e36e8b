import { askOthers } from './ask-others.ts'
import { checkObjectivelyDown, checkSubjectivelyDown } from './down.ts'
import { continueFailover, startFailoverIfNeeded } from './failover.ts'
import type { Watched } from './instance.ts'
import { reconnect } from './reconnect.ts'
import { sendPeriodicCommands } from './send.ts'
import type { Sentinel } from './sentinel.ts'

/** The work of a tick for one instance: monitors it and, except in TILT mode, acts. */
export function handle(sentinel: Sentinel, one: Watched): void {
  reconnect(sentinel, one)
  sendPeriodicCommands(sentinel, one)
  if (sentinel.tiltSinceMs !== null) {
    if (sentinel.nowMs - sentinel.tiltSinceMs < sentinel.periods.tiltMs) return
    sentinel.tiltSinceMs = null
    sentinel.announce('-tilt', '#tilt mode exited')
  }
  checkSubjectivelyDown(sentinel, one)
  if (one.kind !== 'master') return
  checkObjectivelyDown(sentinel, one)
  if (startFailoverIfNeeded(sentinel, one)) askOthers(sentinel, one, true)
  continueFailover(sentinel, one)
  askOthers(sentinel, one, false)
}
