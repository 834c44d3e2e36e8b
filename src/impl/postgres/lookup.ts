/** Reads records in PostgreSQL, without changing them. */
import type { RecordLookup } from '../layer.ts'
import type { Found } from '../lookup.ts'
import type { Settings } from '../options.ts'
import { beginOf, counts } from './acquire.ts'
import { finalOf, type PostgresRecords } from './records.ts'
import type { Sessions } from './sessions.ts'
import { tablesOf } from './sql.ts'
import { transitions } from './transitions.ts'

export class PostgresLookup implements RecordLookup {
  readonly #sessions: Sessions
  readonly #settings: Settings
  readonly #records: PostgresRecords

  constructor(sessions: Sessions, settings: Settings, records: PostgresRecords) {
    this.#sessions = sessions
    this.#settings = settings
    this.#records = records
  }

  async record({ key }: { readonly key: string }): Promise<Found> {
    const look = await this.#records.look(key)
    if (look.status === 'unreachable') return look
    const { record, generation, nowUs } = look
    const final = finalOf(record)
    if (final !== null) return final
    if (!counts(record, generation.id)) return { status: 'missing', since: generation.bornMs }
    const { state, fence, producedAt, attempts } = record
    const leftMs = record.deadlineMs - Math.floor(nowUs / 1000)
    const { sink, leaseMs } = this.#settings
    if (state !== 'free' && leftMs > 0)
      return { status: 'held', leftMs: Math.min(leftMs, leaseMs), fence, begun: state === 'begun' }
    if (state === 'begun' && sink.kind === 'plain')
      return { status: 'in-doubt', begin: beginOf(record, generation.id), producedAt }
    return { status: 'open', attempts }
  }

  /**
   * The keys whose records are past the point of no return, in pages. Throws if the server does not
   * answer.
   */
  async *begun(): AsyncGenerator<string[], void> {
    let after = ''
    for (;;) {
      const answer = await this.#sessions.call(transitions(true, tablesOf(this.#settings.namespace)).begun, [after])
      if (!answer.answered) throw answer.error
      const keys = answer.rows.map(({ key }) => String(key))
      if (keys.length === 0) return
      yield keys
      after = keys.at(-1)!
    }
  }
}
