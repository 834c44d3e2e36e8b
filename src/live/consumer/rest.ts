/**
 * Detects that this process is at rest in a run that follows a schedule: it does nothing more until
 * the harness releases a message or fires a timer, or until the sink answers. Node reports what
 * keeps the event loop alive; this module counts in-flight requests to stores and the sink.
 */
import { armedHandles } from './held-timers.ts'
import { hasJobs } from './jobs.ts'
import { realTimeout } from './limits.ts'

/** The state of traffic on a socket to a store. */
export interface WatchedConnection {
  /** The number of commands that were sent and are unanswered. */
  readonly underWay: number
  /** True if Redis may send unsolicited messages on the connection. */
  readonly listens: boolean
  /** True if the other side is about to end the connection. */
  readonly endUnderWay: boolean
  /** Breaks the connection like a reset by the other side; with a port, only if it leads there. */
  breaks(port?: number): void
}

/** The sockets to stores that are open or opening. */
export const connections = new Set<WatchedConnection>()

/** The number of requests to the sink that were sent and are unanswered. */
export const atSink = { requests: 0 }

/**
 * The names of resources that keep a waiting process alive. `Timeout` and `TCPSocketWrap` are
 * counted separately.
 */
const waits = new Set(['Timeout', 'TCPSocketWrap', 'PipeWrap', 'TTYWrap'])
/** The polling interval. */
const againMs = 5

/**
 * True if the process is at rest. `requestsAtSink`: how many unanswered requests of the process the
 * harness has at the sink.
 */
function rests(requestsAtSink: number): boolean {
  if (atSink.requests !== requestsAtSink || hasJobs()) return false
  for (const { underWay, listens, endUnderWay } of connections) if (underWay > 0 || listens || endUnderWay) return false
  const active = process.getActiveResourcesInfo()
  const count = (kind: string): number => active.filter((one) => one === kind).length
  return (
    active.every((kind) => waits.has(kind)) &&
    count('Timeout') <= armedHandles().filter((handle) => handle.hasRef()).length &&
    count('TCPSocketWrap') <= connections.size + requestsAtSink
  )
}

interface Question {
  readonly requestsAtSink: number
  /** True while the process has orders to carry out. */
  busy(): boolean
  /** Called when the process is at rest. */
  reported(): void
}

/** The last question; null if it was answered or cancelled. */
let pending: Question | null = null
let looks = false

/**
 * Answers the last question once the process is at rest, unless the question is cancelled. Data
 * that have already arrived on the process's sockets are read first.
 */
export function askForRest(question: Question): void {
  pending = question
  if (looks) return
  looks = true
  look()
}

/** Cancels the question. */
export function forgetQuestion(): void {
  pending = null
}

function look(): void {
  const question = pending
  setImmediate(() =>
    setImmediate(() => {
      if (question !== pending) look()
      else if (question !== null && (question.busy() || !rests(question.requestsAtSink)))
        realTimeout(look, againMs).unref()
      else {
        looks = false
        pending = null
        question?.reported()
      }
    }),
  )
}
