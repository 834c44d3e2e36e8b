/**
 * Whether this process is at rest in a run that follows a schedule: it does nothing more until the
 * harness lets something in, a timer go off or the sink answer. It asks Node what keeps the event
 * loop alive, and knows by itself what has left for Redis and for the sink.
 */
import { armedHandles } from './held-timers.ts'
import { hasJobs } from './jobs.ts'
import { realTimeout } from './limits.ts'

/** What is under way on a socket to Redis. */
export interface WatchedConnection {
  /** Commands that have left and were not answered. */
  readonly underWay: number
  /** Redis may say something on it that nobody asked for. */
  readonly listens: boolean
  /** The other side is about to end it. */
  readonly endUnderWay: boolean
  /** As by a reset of the other side; where a port is given, if it leads there. */
  breaks(port?: number): void
}

/** Sockets to Redis that are open, or about to be. */
export const connections = new Set<WatchedConnection>()

/** Requests to the sink that have left and were not answered. */
export const atSink = { requests: 0 }

/** What keeps a process alive that waits. `Timeout` and `TCPSocketWrap` are counted. */
const waits = new Set(['Timeout', 'TCPSocketWrap', 'PipeWrap', 'TTYWrap'])
/** How long until it is looked at again. */
const againMs = 5

/** `requestsAtSink`: those that the harness has there, and has not answered. */
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
  /** It has orders to carry out. */
  busy(): boolean
  /** It rests. */
  reported(): void
}

/** Null where nobody waits for an answer. */
let pending: Question | null = null
let looks = false

/**
 * The last question is answered once it rests, unless it is forgotten. What has come to its sockets
 * by then is taken in before.
 */
export function askForRest(question: Question): void {
  pending = question
  if (looks) return
  looks = true
  look()
}

/** Nobody waits for the answer any more. */
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
