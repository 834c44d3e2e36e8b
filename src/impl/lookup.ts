/** Reads records by key, independently of messages. */
import { type Connection, literalGlob } from './connection.ts'
import { type BucketKeys, bucketKeysOf, freshToken } from './identity.ts'
import { type Begin, begunBy } from './in-doubt.ts'
import type { Settings } from './options.ts'
import { type Completed, final, type Records, type Refused, type Silence } from './records.ts'
import { scripts } from './scripts.ts'

export type Found =
  | { readonly status: 'held'; readonly leftMs: number; readonly fence: number; readonly begun: boolean }
  /** `producedAt`: null in a record of an older version. */
  | { readonly status: 'in-doubt'; readonly begin: Begin; readonly producedAt: number | null }
  | { readonly status: 'open'; readonly attempts: number }
  /** `since`: the birth of the generation; null if data may have been lost just now. */
  | { readonly status: 'missing'; readonly since: number | null }
  | Completed
  | Refused
  | Silence

type Texts = [string, string, string, string, string, string, string, string]

export class Lookup {
  readonly #connection: Connection
  readonly #settings: Settings
  readonly #records: Records

  constructor(connection: Connection, settings: Settings, records: Records) {
    this.#connection = connection
    this.#settings = settings
    this.#records = records
  }

  /**
   * A doubt is returned with the current generation. If that is unknown because a loss of data was
   * not noticed yet, a new generation is started first. Writes nothing else.
   */
  async record(at: BucketKeys & { readonly key: string }, noticed = false): Promise<Found> {
    const { record, generation } = at
    const { sink, leaseMs } = this.#settings
    const call = await this.#connection.call(scripts.status, [record, generation], [sink.kind, leaseMs])
    if (!call.answered) return { status: 'unreachable', error: call.error }
    const [status, first, ...more] = call.reply
    switch (status) {
      case 'held':
        return { status, leftMs: Number(first), fence: Number(more[0]), begun: more[1] === 1 }
      case 'in-doubt': {
        const fence = Number(first)
        const [nonce, of, fingerprint, began, begins, process, meta, produced] = more.map(String) as Texts
        const by = begunBy(fence, began, begins, process, meta)
        if (of !== '' || noticed)
          return {
            status,
            begin: { fence, nonce, of, fingerprint, by },
            producedAt: produced === '' ? null : Number(produced),
          }
        const reported = await this.#connection.call(scripts.notice, [generation], [freshToken()])
        if (!reported.answered) return { status: 'unreachable', error: reported.error }
        if (reported.reply[0] === 'started') this.#records.lost(at)
        return this.record(at, true)
      }
      case 'open':
        return { status, attempts: Number(first) }
      case 'missing':
        return { status, since: first === '' ? null : Number(first) }
      default:
        return final(call)
    }
  }

  /**
   * The keys whose records are past the point of no return, in pages. Throws if a primary does not
   * answer.
   */
  async *begun(): AsyncGenerator<string[], void> {
    const { buckets, prefix } = this.#settings
    for await (const names of this.#connection.scan(`${literalGlob(prefix)}{b*}:*`)) {
      const records = names.flatMap((name) => {
        const key = name.slice(name.indexOf('}:') + 2)
        return bucketKeysOf(key, buckets, prefix).record === name ? [{ key, name }] : []
      })
      const states = await this.#connection.field(
        'state',
        records.map(({ name }) => name),
      )
      yield records.flatMap(({ key }, at) => (states[at] === 'begun' ? [key] : []))
    }
  }
}
