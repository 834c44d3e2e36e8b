/**
 * Sends the requests of a run's sessions to a real PostgreSQL in the same order, and compares the
 * responses.
 */

import { loadSqlParser } from 'postgres-sim'
import type { RealSessions, Waiting } from 'test-servers'
import type { SessionEvent } from '../../../sim/world/postgres/session-traffic.ts'
import type { RealPostgres } from '../../types.ts'
import type { CrosscheckDifference, Replayed } from '../replayed.ts'
import { isOfTheServer } from './askable.ts'
import { type SentMessage, sentMessage } from './frontend-bytes.ts'
import { described, RequestTranscript, statementsIn } from './request-transcript.ts'
import { itemsOf, messagesIn, type ResponseItem, typesMadeIn, unnamedType } from './responses.ts'
import { RunClock } from './run-clock.ts'

interface Reported {
  readonly model: ResponseItem[]
  readonly real: ResponseItem[]
  /** The number of compared responses. */
  compared: number
}

const nothingReported = (): Reported => ({ model: [], real: [], compared: 0 })

/** One session of the model, which has the same number as its real session. */
interface Followed {
  readonly processId: number
  readonly requests: RequestTranscript
  /** Responses of the model that were not compared yet. */
  responses: string
  /** The responses of both servers since the last statement. */
  reported: Reported
  /** True in an explicit transaction, or in the implicit transaction of messages up to Sync. */
  inTransaction: boolean
  /** True if the results of the statement are not compared. */
  unchecked: boolean
  /** Messages that will be sent to the real session together with the next message. */
  unsent: SentMessage[]
  /** True if the response to the last sent message ends with ReadyForQuery. */
  isReady: boolean
}

/**
 * Replays the events. Resets the real server first.
 * @throws ServerGone
 */
export async function replaySessions(events: readonly SessionEvent[], real: RealPostgres): Promise<Replayed> {
  const first = events.find((event) => event.kind === 'began')
  if (first === undefined) return { compared: 0, byRule: 0, leftOut: new Map(), difference: null }
  // If another thread has played the run, the parser is not yet loaded in this thread.
  await loadSqlParser()
  const sessions = await real.open(first.startup)
  try {
    return await new SessionReplay(sessions, events, first.startup, isOlder(real)).play()
  } finally {
    await sessions.close()
  }
}

/**
 * Values of `deadlock_timeout`. Only the session that the deadlock aborted in the run searches for
 * deadlocks, after PostgreSQL's default of a second.
 */
const looksForDeadlocks = '1s'
const looksForNone = '1h'

/**
 * The minor version of PostgreSQL 15 from which a serializable transaction counts the row that its
 * ON CONFLICT found as read.
 */
const readsByOnConflict = 20
const isOlder = ({ version }: RealPostgres): boolean => Number(/^15\.(\d+)/.exec(version)?.[1]) < readsByOnConflict

const noNumbers = { session: () => 0, type: () => undefined }

/** Reads the names of types, in the form that the simulated server uses. */
const namesOfTypes = `SELECT type.oid, CASE nspname WHEN 'public' THEN '' ELSE nspname || '.' END || typname
  FROM pg_catalog.pg_type type JOIN pg_catalog.pg_namespace space ON space.oid = typnamespace`

class SessionReplay {
  readonly #clock: RunClock
  readonly #followed = new Map<number, Followed>()
  readonly #deadlocked: ReadonlySet<number>
  /** True if ON CONFLICT in a serializable transaction may differ on the real server's version. */
  readonly #differs: boolean
  /** The names of user-defined types, by oid. */
  readonly #types = { model: new Map<number, string>(), real: new Map<number, string>() }
  readonly #leftOut = new Map<string, number>()
  #compared = 0
  #byRule = 0
  /** The number of statements that were requested since all sessions last settled. */
  #requested = 0
  #difference: CrosscheckDifference | null = null
  /** The sessions that have resumed since all sessions last settled. */
  #gone: number[] = []
  /** Sessions that resumed alternately, and whose responses were not compared yet. */
  readonly #inTurns = new Set<number>()
  /** The sessions for which each session waited when all sessions last settled. */
  #wait: { readonly model: Waiting; readonly real: Waiting } = { model: new Map(), real: new Map() }

  constructor(
    private readonly real: RealSessions,
    private readonly events: readonly SessionEvent[],
    private readonly login: { readonly user: string; readonly database: string },
    isOlder: boolean,
  ) {
    this.#clock = new RunClock(real.monitor)
    this.#deadlocked = new Set(
      events.flatMap((event) => (event.kind === 'woke' && event.code === deadlock ? [event.session] : [])),
    )
    this.#differs = isOlder && events.some((event) => /serializable/i.test(JSON.stringify(event)))
  }

  async play(): Promise<Replayed> {
    await this.#clock.reset(this.events.filter(({ kind }) => kind === 'began').length)
    let stopped: string | null = null
    for (const [at, event] of this.events.entries()) {
      if (stopped === null) stopped = event.kind === 'fault' ? event.what : await this.#take(event, at)
      if (stopped !== null && isStatement(event)) this.#leaveOut(stopped)
      if (this.#difference !== null) break
    }
    await this.#nameTypes()
    if (stopped === null)
      for (const [session, followed] of this.#followed) if (this.#difference === null) this.#compare(session, followed)
    for (; this.#requested > 0 && stopped !== null; this.#requested--) this.#leaveOut(stopped)
    const counts = { compared: this.#compared, byRule: this.#byRule, leftOut: this.#leftOut }
    return { ...counts, difference: this.#difference }
  }

  /** Returns the reason if the sample ends here; null if it continues. */
  async #take(event: Exclude<SessionEvent, { kind: 'fault' }>, at: number): Promise<string | null> {
    switch (event.kind) {
      case 'prepared':
        await this.real.monitor.query(`SET ROLE "${this.login.user}"; ${event.sql}; RESET ROLE`)
        return null
      case 'type':
        this.#types.model.set(event.oid, event.name)
        return null
      case 'began':
        return this.#begin(event)
      case 'request':
        return this.#ask(event, at)
      case 'response':
        return this.#hear(event)
      case 'goes-on':
        return this.#goOn(event.session)
      case 'woke':
        return this.#woke(event)
      case 'ends':
        return this.#end(event, at)
      case 'settled':
        return this.#settled(event.waiting)
    }
  }

  async #begin({ session, processId, startup }: Extract<SessionEvent, { kind: 'began' }>): Promise<string | null> {
    const { user, database, parameters } = startup
    if (user !== this.login.user || database !== this.login.database) return 'sessions of several users or databases'
    const settings = this.#clock.settings(session)
    const deadlocks = this.#deadlocked.has(session) ? looksForDeadlocks : looksForNone
    const options = `${parameters.options ?? ''} ${settings} -c deadlock_timeout=${deadlocks}`.trim()
    const begun = await this.real.begin(session, { user, database, ...parameters, options })
    const refused = begun.heard.splice(0).some(({ type }) => type === 'E')
    if (refused) return 'a session that a real server refuses'
    this.#followed.set(session, {
      ...{ processId, requests: new RequestTranscript(), responses: '', reported: nothingReported() },
      ...{ inTransaction: false, unchecked: false, unsent: [], isReady: true },
    })
    return null
  }

  async #ask(request: Extract<SessionEvent, { kind: 'request' }>, at: number): Promise<string | null> {
    const { session, atUs, lost } = request
    const followed = this.#followed.get(session)!
    const sent = sentMessage(request.message)
    const before = sent === null ? null : await this.#makeRoom(session, followed, sent)
    if (before !== null || this.#difference !== null) return before
    const taken = followed.requests.take(request.message)
    if ('why' in taken) return taken.why
    if (this.#differs && isStatement(request) && /\bon\s+conflict\b/i.test(followed.requests.current.sql))
      return `ON CONFLICT under SERIALIZABLE, which follows PostgreSQL 15.${readsByOnConflict}`
    if (lost) return this.#wasCut(session, at) ? 'an interrupted query of several statements' : null
    const message = sentMessage(taken.message)
    if (message === null) return null
    if (isStatement(request)) {
      followed.unchecked = isOfTheServer(followed.requests.current.sql)
      if (followed.unchecked) this.#leaveOut('server introspection')
      else this.#requested++
      await this.#clock.set(session, atUs, !followed.inTransaction)
      followed.inTransaction = true
    }
    followed.unsent.push(message)
    if (message.ends === null || !this.#goesOnAtOnce(session, at)) this.#send(session, followed, at)
    return null
  }

  /**
   * Called before a message is added to the unsent messages. If the end of its response could be
   * mistaken for the end of theirs, the unsent messages are sent first.
   */
  async #makeRoom(session: number, followed: Followed, next: SentMessage): Promise<string | null> {
    const isFull = followed.unsent.some(
      ({ ends }) => ends === null || [...ends].some((type) => next.ends?.includes(type) === true),
    )
    if (isFull) {
      this.#send(session, followed, this.events.length)
      await this.real.settle()
    }
    if (!followed.isReady || followed.unsent.length > 0) return null
    await this.#nameTypes()
    const stop = this.#compare(session, followed, true)
    this.#inTurns.delete(session)
    followed.reported = nothingReported()
    followed.isReady = false
    return stop
  }

  /**
   * True if the session's next message comes before any other event, so that both can be sent to
   * the real session together.
   */
  #goesOnAtOnce(session: number, at: number): boolean {
    const next = this.events.slice(at + 1).find((event) => {
      if (event.kind === 'settled') return [...event.waiting.keys()].join() !== [...this.#wait.model.keys()].join()
      return event.kind !== 'response' && event.kind !== 'type'
    })
    return next?.kind === 'request' && next.session === session && !next.lost && sentMessage(next.message) !== null
  }

  #send(session: number, followed: Followed, at: number): void {
    const last = followed.unsent.at(-1)
    if (last === undefined) return
    this.#freezeUntilTheirTurn(at)
    const real = this.real.of(session)
    followed.isReady = last.ends === null
    if (last.ends === null) real.ask(followed.unsent)
    else real.askExtended(followed.unsent, last.ends)
    followed.unsent = []
  }

  async #end({ session, atUs }: Extract<SessionEvent, { kind: 'ends' }>, at: number): Promise<string | null> {
    // The session may end while its last request is in flight. That request is executed anyway.
    await this.real.settle()
    await this.#nameTypes()
    const stop = this.#compare(session, this.#followed.get(session)!)
    if (stop !== null || this.#difference !== null) return stop
    this.#freezeUntilTheirTurn(at)
    await this.#clock.show(atUs)
    await this.real.end(session)
    this.#followed.delete(session)
    this.#inTurns.delete(session)
    return null
  }

  /** True if the statements before the lost one had effects that outlast the session. */
  #wasCut(session: number, at: number): boolean {
    const ends = this.events.findIndex((event, i) => i > at && event.kind === 'ends' && event.session === session)
    const bytes = this.events
      .slice(at, ends)
      .map((event) => (event.kind === 'response' && event.session === session ? event.bytes : ''))
    const tags = itemsOf(messagesIn(bytes.join('')), noNumbers).filter(({ type }) => type === 'C')
    return tags.some(({ text }) => !/^(BEGIN|START TRANSACTION|SET)$/.test(text))
  }

  /**
   * Stops sessions that resume together, because they would resume in random order. Each session
   * resumes at its turn in the run.
   */
  #freezeUntilTheirTurn(at: number): void {
    const going = new Set<number>()
    for (let i = at + 1; i < this.events.length; i++) {
      const event = this.events[i]!
      if (event.kind === 'settled' || event.kind === 'request') break
      if (event.kind === 'goes-on' && this.#followed.has(event.session)) going.add(event.session)
    }
    if (going.size > 1) this.real.freeze(going)
  }

  /**
   * A real session runs until it waits or is done. A session of the model may let other sessions
   * run before that, as a machine can at any instruction. A real session cannot be stopped at that
   * point.
   */
  async #goOn(session: number): Promise<null> {
    const before = this.#gone
    this.#gone = [...before, session]
    if (before.at(-1) !== session && before.includes(session)) for (const one of before) this.#inTurns.add(one)
    await this.real.settle()
    this.real.thaw(session)
    await this.real.settle()
    return null
  }

  async #woke({ session, code }: Extract<SessionEvent, { kind: 'woke' }>): Promise<string | null> {
    if (code !== null && (timeLimits.has(code) || code === lockNotAvailable)) return timeLimit
    if (code === deadlock) await this.real.untilOver(session)
    return null
  }

  #hear({ session, bytes }: Extract<SessionEvent, { kind: 'response' }>): string | null {
    const followed = this.#followed.get(session)!
    followed.responses += bytes
    const codes = itemsOf(messagesIn(bytes), noNumbers).map(({ code }) => code)
    return codes.some((code) => code !== null && timeLimits.has(code)) ? timeLimit : null
  }

  async #settled(waiting: Waiting): Promise<string | null> {
    this.#gone = []
    if ([...this.#followed.values()].some(({ unsent }) => unsent.length > 0)) return null
    const real = await this.real.settle()
    for (const session of waiting.keys()) {
      const { sql, values } = this.#followed.get(session)!.requests.current
      if (values.length === 0 && statementsIn(sql) > 1) return 'a waiting query of several statements'
    }
    this.#wait = { model: waiting, real }
    await this.#nameTypes()
    for (const [session, followed] of this.#followed) {
      const stop = this.#compare(session, followed)
      if (stop !== null) return stop
      if (this.#difference !== null) return null
    }
    this.#compared += this.#requested
    this.#requested = 0
    return null
  }

  /**
   * Compares the responses. Returns why the two sessions can no longer be compared; null if they
   * can. `all`: the model's responses are complete.
   */
  #compare(session: number, followed: Followed, all = false): string | null {
    const { reported, requests } = followed
    this.#listen(session, followed)
    const waits = { model: this.#wait.model.get(session) ?? [], real: this.#wait.real.get(session) ?? [] }
    // If the model's session has resumed, it may respond later, so it may have fewer responses than
    // the real session.
    let isSame = all ? reported.model.length === reported.real.length : reported.model.length <= reported.real.length
    if (!all) isSame &&= waits.model.join() === waits.real.join()
    for (; isSame && reported.compared < reported.model.length; reported.compared++)
      isSame = this.#isSame(reported.model[reported.compared]!, reported.real[reported.compared]!, followed)
    if (isSame) return null
    if (reported.real[reported.compared - 1]?.text.includes(unnamedType) === true)
      return 'a type of an uncommitted transaction'
    if (this.#hasEndedSome()) return timeLimit
    if ([session, ...waits.model, ...waits.real].some((one) => this.#inTurns.has(one))) return inTurns
    const text = (of: 'real' | 'model', types?: string) => stateText(reported[of], waits[of], types)
    // Omits details of the protocol from the difference, unless only these details differ.
    const types = text('real', answers) === text('model', answers) ? undefined : answers
    this.#difference = {
      command: described(requests.current),
      real: text('real', types),
      model: text('model', types),
    }
    return null
  }

  /**
   * True if a real time limit ended a statement or a session. Its locks are then released, so other
   * sessions may differ.
   */
  #hasEndedSome(): boolean {
    for (const [session, followed] of this.#followed) this.#listen(session, followed)
    return [...this.#followed.values()].some(({ reported }) =>
      reported.real.some(({ text }) => ofTimeLimits.test(text)),
    )
  }

  /** Reads the names of described types from the real server. */
  async #nameTypes(): Promise<void> {
    const asked = new Set<number>()
    for (;;) {
      const heard = [...this.#followed.keys()].flatMap((session) => this.real.of(session).heard)
      const unknown = heard
        .flatMap(({ type, body }) => typesMadeIn({ type, body: body.toString('latin1') }))
        .filter((oid) => !this.#types.real.has(oid) && !asked.has(oid))
      if (unknown.length === 0) return
      for (const oid of unknown) asked.add(oid)
      const [answer] = await this.real.monitor.query(`${namesOfTypes} WHERE type.oid IN (${unknown.join(', ')})`)
      for (const [oid, name] of answer !== undefined && 'rows' in answer ? answer.rows : [])
        this.#types.real.set(Number(oid), name!)
    }
  }

  /** Collects the new responses of both servers. */
  #listen(session: number, followed: Followed): void {
    const { reported } = followed
    reported.model.push(
      ...itemsOf(messagesIn(followed.responses), {
        session: (id) => this.#modelSession(id),
        type: (oid) => this.#types.model.get(oid),
      }),
    )
    followed.responses = ''
    const heard = this.real.of(session).heard.splice(0)
    const ready = heard.findLast(({ type }) => type === 'Z')
    if (ready !== undefined) followed.inTransaction = ready.body.toString('latin1') !== 'I'
    const responses = heard.map(({ type, body }) => ({ type, body: body.toString('latin1') }))
    reported.real.push(
      ...itemsOf(responses, {
        session: (id) => this.real.numberOf(id),
        type: (oid) => this.#types.real.get(oid),
      }),
    )
  }

  #isSame(model: ResponseItem, real: ResponseItem, { unchecked, requests }: Followed): boolean {
    if (model.text === real.text) return true
    if (unchecked && model.type === real.type && 'TC'.includes(model.type)) return true
    if (model.sorted === null || model.sorted !== real.sorted || /\border\s+by\b/i.test(requests.current.sql))
      return false
    this.#byRule++
    return true
  }

  #modelSession(processId: number): number {
    return [...this.#followed].find(([, one]) => one.processId === processId)?.[0] ?? -1
  }

  #leaveOut(why: string): void {
    this.#leftOut.set(why, (this.#leftOut.get(why) ?? 0) + 1)
  }
}

const deadlock = '40P01'
const lockNotAvailable = '55P03'
const timeLimit = 'time limits of statements and sessions'
const inTurns = 'sessions that resume alternately'
const ofTimeLimits = /due to (statement|lock|idle-\S+) timeout/
/** The SQLSTATEs of time limits: of statements and of idle sessions. */
const timeLimits: ReadonlySet<string> = new Set(['57014', '25P03', '57P05'])

function isStatement(event: SessionEvent): boolean {
  return event.kind === 'request' && !event.lost && (event.message.kind === 'query' || event.message.kind === 'execute')
}

/** The types of messages that are rows with their tags, and errors. */
const answers = 'CDEs'

function stateText(responses: readonly ResponseItem[], waits: readonly number[], types?: string): string {
  const reported = responses.filter(({ type }) => types === undefined || types.includes(type)).map(({ text }) => text)
  if (waits.length > 0) reported.push(`waits for session ${waits.join(', ')}`)
  const text = reported.length === 0 ? 'no answer' : reported.join('; ')
  return text.length <= 1000 ? text : `${text.slice(0, 997)}...`
}
