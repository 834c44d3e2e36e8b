import type { Session, Startup } from 'postgres-sim'
import type { FrontendMessage, SessionListener } from 'postgres-sim/wire'
import type { SessionEvent, SessionRequest } from './session-traffic.ts'

/** The server interface that the recorder needs. */
interface Recorded {
  nowUs(): number
  blockedBy(processId: number): readonly number[]
}

/** Records requests and responses of the sessions of one server. */
export class SessionRecorder {
  readonly #numbers = new Map<number, number>()
  #began = 0
  /** At the last `settled` event: for each waiting session, the sessions for which it waited. */
  #waiting: ReadonlyMap<number, readonly number[]> = new Map()

  constructor(
    private readonly events: SessionEvent[],
    private readonly server: Recorded,
  ) {}

  prepared(sql: string): void {
    this.events.push({ kind: 'prepared', sql })
  }

  typeMade(oid: number, name: string): void {
    this.events.push({ kind: 'type', oid, name })
  }

  fault(what: string): void {
    this.events.push({ kind: 'fault', what })
  }

  goesOn(processId: number): void {
    const session = this.#numbers.get(processId)
    if (session !== undefined && this.#waiting.has(session)) this.events.push({ kind: 'goes-on', session })
  }

  /**
   * A listener for one connection. Nothing is recorded before the session of the connection begins,
   * or after it ends.
   */
  listener(): SessionListener {
    const { events } = this
    let session: number | null = null
    let processId = 0
    let latest: SessionRequest | null = null
    const push = (event: (number: number) => SessionEvent): void => {
      if (session !== null) events.push(event(session))
    }
    return {
      began: (begun: Session, startup: Startup) => {
        session = this.#began++
        processId = begun.processId
        this.#numbers.set(processId, session)
        push((number) => ({ kind: 'began', session: number, processId, startup }))
      },
      request: (message: FrontendMessage) =>
        push((number) => {
          latest = { kind: 'request', session: number, atUs: this.server.nowUs(), message, lost: false }
          return latest
        }),
      response: (bytes) => push((number) => ({ kind: 'response', session: number, bytes })),
      lost: () => {
        if (latest !== null) latest.lost = true
      },
      woke: (code) => push((number) => ({ kind: 'woke', session: number, code })),
      ends: () => {
        push((number) => ({ kind: 'ends', session: number, atUs: this.server.nowUs() }))
        this.#numbers.delete(processId)
        session = null
      },
      settled: () => {
        this.#waiting = this.#whoWaits()
        events.push({ kind: 'settled', waiting: this.#waiting })
      },
    }
  }

  #whoWaits(): ReadonlyMap<number, readonly number[]> {
    const waiting = new Map<number, readonly number[]>()
    for (const [processId, session] of this.#numbers) {
      const blockers = this.server.blockedBy(processId)
      if (blockers.length > 0) waiting.set(session, blockers.map((one) => this.#numbers.get(one) ?? -1).sort())
    }
    return waiting
  }
}
