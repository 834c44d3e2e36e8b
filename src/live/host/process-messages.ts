/**
 * Passes the messages of consumer processes, except the answers of handlers, to the parts of the
 * run.
 */
import type { Effects } from '../../run/effects.ts'
import type { Limits } from '../../run/limits.ts'
import { LiveProblem } from '../environment/problem.ts'
import type { FaultEvidence } from '../evidence/fault-evidence.ts'
import type { OwnTimers } from '../lockstep/own-timers.ts'
import type { Rest } from '../lockstep/rest.ts'
import type { ConsumerProcess } from './consumer-process.ts'
import type { RunGates } from './gates.ts'
import type { FromConsumer } from './protocol.ts'
import type { LiveRecorder } from './recorder.ts'
import type { LiveTimers } from './timers.ts'

/**
 * A timer that came due while its process was stopped may be late. Late timers are ignored for this
 * long after the process resumes.
 */
const stoppedMs = 100

export interface Hearers {
  readonly effects: () => Effects<ConsumerProcess>
  readonly gates: RunGates
  readonly limits: Limits
  readonly recorder: LiveRecorder
  readonly evidence: FaultEvidence
  readonly timers: LiveTimers
  /** The timers of layers; null if the run does not follow a schedule. */
  readonly ownTimers: OwnTimers | null
  readonly rest: Rest | null
}

export class ProcessMessages {
  constructor(private readonly run: Hearers) {}

  /**
   * Handles a message.
   * @throws LiveProblem if the layer uses keys without the key prefix
   */
  async hear(process: ConsumerProcess, message: FromConsumer): Promise<void> {
    const { effects, gates, limits, recorder, evidence, timers, ownTimers, rest } = this.run
    switch (message.type) {
      case 'gate':
        return gates.open(process, message)
      case 'effect-answered': {
        const { requestId, type: _, ...text } = message
        return effects().answered(process, requestId, text)
      }
      case 'command': {
        const { command, reply, node } = message
        const where = node === undefined ? {} : { node }
        return recorder.trace({ type: 'command', process: process.name, command, reply, ...where })
      }
      case 'replied':
        return gates.replied(process, message)
      case 'cut-short':
        return gates.cutShort(message.error)
      case 'timer-set':
      case 'timer-cleared':
      case 'digested':
        return ownTimers?.hear(process, message)
      case 'at-rest':
        return rest?.hear(message)
      case 'lock': {
        const { key, what } = message
        recorder.fact({ type: 'lock', process: process.name, key, what })
        return
      }
      case 'connection-closed':
        evidence.hear(process, message)
        return gates.connectionClosed(process, message.connection, message.unheard)
      case 'connection-open':
      case 'exchange-sent':
      case 'exchange-answered':
      case 'looked':
        return evidence.hear(process, message)
      case 'limit':
        return limits.note(message.ms)
      case 'outside-prefix':
        throw new LiveProblem(
          'the layer',
          `its command ${message.command} may use keys outside the prefix and was not sent; use its own server (--with local)`,
        )
      case 'no-redis':
        throw new LiveProblem('the layer', "it uses Redis, which its `stores` lack; add it: ['redis', …]")
      case 'late':
        if (timers.nowMs() - process.resumedMs > message.ms + stoppedMs) timers.late(message.ms, process.name)
    }
  }
}
