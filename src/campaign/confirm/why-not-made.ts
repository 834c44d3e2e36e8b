/** Why a run cannot be made on real servers, from a closed list. */
import type { ReasonUnsaid } from '../../contract/confirmation.ts'
import { lastsMs } from '../../run/idle-time.ts'
import type { LiveHost } from '../live/live-host.ts'
import type { ScriptedRun } from './run-script.ts'
import { whyNotHeld } from './why-not-held.ts'

export interface NotMade {
  readonly reason: ReasonUnsaid
  /** What of the run it is; null where the reason says it all. */
  readonly what: string | null
}

/** Null where it can be made. `atMostMs`: real milliseconds. */
export function whyNotMade(
  { result, script, until }: ScriptedRun,
  host: Pick<LiveHost, 'notMade' | 'holdsSeveral'>,
  atMostMs: number,
): NotMade | null {
  const plan = result.history.header.plan as unknown as Parameters<LiveHost['notMade']>[0]
  const isHeld = plan.redis !== undefined
  if (isHeld && !host.holdsSeveral) return { reason: 'several', what: null }
  const [unsupported] = result.unsupported
  if (unsupported !== undefined) return { reason: 'unsupported', what: unsupported }
  const [fault] = host.notMade(plan, isHeld ? 'sentinel' : 'single', isHeld)
  if (fault !== undefined) return { reason: 'fault', what: `${fault.fault} (${fault.why})` }
  const notHeld = isHeld ? whyNotHeld({ script, until }) : null
  if (notHeld !== null) return notHeld
  const outlives = commandWithoutProcess({ result, script, until })
  if (outlives !== null) return { reason: 'outlives', what: outlives }
  const ms = lastsMs(script.steps.slice(0, until))
  return ms > atMostMs ? { reason: 'too-long', what: `${Math.ceil(ms / 1000)} s` } : null
}

/** The first step in which a command comes to Redis whose process has ended before. */
function commandWithoutProcess({
  result,
  script,
  until,
}: Pick<ScriptedRun, 'result' | 'script' | 'until'>): string | null {
  const endings = new Map<string, number>()
  for (const event of result.history.events) if (event.type === 'process-ended') endings.set(event.process, event.seq)
  const orphan = script.steps.slice(0, until).find(({ name, seq }) => {
    const [process, boundary] = name.split(' ', 2)
    return boundary === 'command-unexecuted' && seq > (endings.get(process!) ?? Number.POSITIVE_INFINITY)
  })
  return orphan?.name ?? null
}
