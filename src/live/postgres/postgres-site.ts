/** PostgreSQL in a live run: one real server, and the effects and losses that its tables show. */
import type { Fact, HistoryEvent } from '../../contract/api/history.ts'
import type { Plan } from '../../contract/api/plan.ts'
import type { StoreAddresses } from '../../contract/api/store.ts'
import { committedEffect } from '../../run/effects.ts'
import { givenFor } from '../../run/sink/effect-gift.ts'
import { effectIdOf, effectsTable, receiptOf } from '../../run/sink/effects-table.ts'
import { LiveProblem } from '../environment/problem.ts'
import type { LiveRecorder } from '../host/recorder.ts'
import type { LiveSite } from '../stores/store-site.ts'
import { type EffectRow, effectRows, lostRows, type SeenRow, seenRows, serverUs } from './committed-rows.ts'
import { LivePostgres } from './live-postgres.ts'
import type { PostgresMachine } from './postgres-machine.ts'
import { PostgresStore } from './postgres-store.ts'
import { type ClockReading, onRunClock, readClock } from './server-time.ts'
import { PostgresSessions } from './sessions.ts'

export interface SiteSetting {
  readonly plan: Plan
  readonly recorder: Pick<LiveRecorder, 'events' | 'fact' | 'insert' | 'retract'>
  /** True if the sink is `transactional`. */
  readonly hasEffects: boolean
  /** Called when the server and all connections to it are gone. */
  readonly stopped: () => void
  /**
   * True if the run follows a schedule and its time, so that effects are recorded when they commit.
   */
  readonly followsSchedule: boolean
  /** Returns microseconds by a clock that never steps. */
  readonly nowUs: () => number
  /** Returns microseconds since the start of the plan's time. */
  readonly planUs: () => number
}

export class PostgresSite implements LiveSite {
  readonly port: PostgresStore
  readonly sessions: PostgresSessions
  readonly #server: LivePostgres
  /** The rows that clients could see when the server was killed. */
  #seen: readonly SeenRow[] = []
  #opened: ClockReading | null = null

  constructor(
    private readonly machine: PostgresMachine,
    private readonly setting: SiteSetting,
  ) {
    const server = new LivePostgres(machine)
    this.#server = server
    this.sessions = new PostgresSessions(server)
    this.port = new PostgresStore(server, {
      dying: async () => {
        this.#seen = await seenRows(server)
      },
      stopped: () => setting.stopped(),
      returned: () => this.#reportLost(),
    })
  }

  get address() {
    return { host: this.machine.host, port: this.machine.port }
  }

  get standstill() {
    return this.#server.standstill
  }

  addresses(port: number): StoreAddresses {
    const { user, password, database } = this.machine.login
    const options = { host: '127.0.0.1', port, user, password, database }
    const words = [user, password, database].map(encodeURIComponent)
    return { postgres: { options, url: `postgres://${words[0]}:${words[1]}@127.0.0.1:${port}/${words[2]}` } }
  }

  async open(): Promise<void> {
    await this.#server.open(this.setting.hasEffects)
    this.#opened = await this.#readClock()
  }

  async look(): Promise<void> {
    if (this.#server.up && !(await this.machine.isAlive()) && this.#server.up)
      throw new LiveProblem('the PostgreSQL server', 'it ended during the run; check the free memory of the machine')
  }

  committed(requests: readonly number[]): void {
    const { recorder } = this.setting
    const isOfThem = (event: HistoryEvent): event is Sent =>
      event.type === 'effect-sent' && requests.includes(event.requestId)
    for (const sent of recorder.events.filter(isOfThem))
      recorder.fact(this.#effectOf({ key: sent.key, payload: sent.fingerprint }, sent))
  }

  /**
   * Adds effects and losses to the history. A dead server is restarted first, because only the
   * server itself knows what is durable.
   */
  async conclude(): Promise<string | null> {
    const { hasEffects, followsSchedule, nowUs, planUs } = this.setting
    const opened = this.#opened
    if (!hasEffects || opened === null) return null
    if (this.#server.frozen) await this.#server.freeze(false)
    if (!this.#server.up) {
      await this.#server.start()
      await this.#reportLost()
    }
    const rows = await effectRows(this.#server)
    const last = await this.#readClock()
    const begunUs = nowUs() - planUs()
    const { recorder } = this.setting
    const sent = new Map(
      recorder.events.flatMap((event) => (event.type === 'effect-sent' ? [[effectIdOf(event.requestId), event]] : [])),
    )
    const strange = rows.find((row) => !isHandedOut(row, sent.get(row.effectId)))
    if (strange !== undefined) return `a row of ${effectsTable} that the sink did not create: ${strange.effectId}`
    const reported = new Set(recorder.events.filter(isApplied).map(({ requestId }) => effectIdOf(requestId)))
    recorder.insert(
      rows
        .filter(({ effectId }) => !reported.has(effectId))
        .map((row) => {
          const after = sent.get(row.effectId)!
          // No process learned of this commit. In a schedule's time, only the event before it is
          // known.
          const atUs = followsSchedule ? after.atUs : onRunClock(row.atUs, opened, last) - begunUs
          return { atUs, fact: this.#effectOf(row, after), after }
        }),
    )
    // Removes effects that were recorded as committed but were undone, by their own transaction or
    // by a crash.
    const committed = new Set(rows.map(({ effectId }) => effectId))
    const isUndone = (event: HistoryEvent): boolean =>
      (isHeard(event) || isApplied(event)) && !committed.has(effectIdOf(event.requestId))
    recorder.retract(new Set(recorder.events.filter(isUndone)))
    return null
  }

  async close(): Promise<void> {
    this.#server.close()
  }

  #readClock(): Promise<ClockReading> {
    return readClock(() => serverUs(this.#server), this.setting.nowUs)
  }

  #effectOf({ key, payload }: Pick<EffectRow, 'key' | 'payload'>, { requestId, process }: Sent): Fact {
    const { results } = this.setting.plan
    const receipt = receiptOf(requestId, key, payload)
    return committedEffect(process, requestId, receipt, results === undefined ? undefined : givenFor(results, receipt))
  }

  /** Reports commits that were confirmed but are missing on the disk. */
  async #reportLost(): Promise<void> {
    const seen = this.#seen
    this.#seen = []
    const lost = await lostRows(this.#server, seen)
    if (lost.length === 0) return
    const redisKeys = lost.map(({ table, text }) => `${table} ${text}`)
    const effects = lost.filter(({ table }) => table === effectsTable).map(({ key }) => key ?? '')
    const lostEffects = effects.length === 0 ? {} : { effects }
    this.setting.recorder.fact({ type: 'data-lost', node: 'postgres', cause: 'restart', redisKeys, ...lostEffects })
  }
}

const isHeard = (event: HistoryEvent): event is Extract<HistoryEvent, { type: 'effect-answered' }> =>
  event.type === 'effect-answered' && event.answer === 'receipt'

const isApplied = (event: HistoryEvent): event is Extract<HistoryEvent, { type: 'effect-applied' }> =>
  event.type === 'effect-applied'

type Sent = Extract<HistoryEvent, { type: 'effect-sent' }>

const isHandedOut = ({ key, payload }: EffectRow, sent: Sent | undefined): boolean =>
  sent !== undefined && sent.key === key && sent.fingerprint === payload
