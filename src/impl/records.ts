/** The transitions of a record as typed calls: what each script is sent, and what its replies mean. */
import type { CallResult, Connection } from './connection.ts'
import { fingerprintOf, freshToken, recordName } from './identity.ts'
import type { Settings } from './options.ts'
import { scripts } from './scripts.ts'
import type { OnceMessage } from './work.ts'

/** One attempt at one message, before it holds anything. */
export interface Claim {
  readonly key: string
  readonly payload: unknown
  readonly record: string
  readonly fingerprint: string
  /** Fresh for every attempt: a broker may deliver the same message to the same consumer twice at once. */
  readonly owner: string
}

/** A claim that was granted. */
export interface Hold extends Claim {
  readonly fence: number
  /** When the granted lease began at the latest, on this process's monotonic clock. */
  readonly sinceMs: number
}

export type Silence = { readonly status: 'unreachable'; readonly error: Error }
export type Completed = { readonly status: 'completed'; readonly result: string }
export type Refused = { readonly status: 'refused'; readonly error: string }
export type Lost = { readonly status: 'lost' }

export type Acquired =
  | { readonly status: 'acquired'; readonly hold: Hold }
  | { readonly status: 'held'; readonly leftMs: number }
  | { readonly status: 'in-doubt'; readonly fence: number; readonly nonce: string }
  | { readonly status: 'conflict' }
  | Completed
  | Refused
  | Silence

/** Throws `TypeError` for a message without a key, or with a payload that is not JSON. */
export function claim({ key, payload }: OnceMessage): Claim {
  if (typeof key !== 'string' || key === '') throw new TypeError('a message needs a key: a string that is not empty')
  return { key, payload, record: recordName(key), fingerprint: fingerprintOf(payload), owner: freshToken() }
}

export class Records {
  readonly #connection: Connection
  readonly #leaseMs: number
  readonly #ttlMs: number
  readonly #takesDoubt: '0' | '1'

  constructor(connection: Connection, { leaseMs, ttlMs, sink }: Settings) {
    this.#connection = connection
    this.#leaseMs = leaseMs
    this.#ttlMs = ttlMs
    this.#takesDoubt = sink.kind === 'plain' ? '0' : '1'
  }

  async acquire(claim: Claim): Promise<Acquired> {
    const { record, owner, fingerprint } = claim
    const args = [owner, this.#leaseMs, this.#ttlMs, fingerprint, this.#takesDoubt]
    const result = await this.#connection.call(scripts.acquire, record, args)
    if (!result.answered) return { status: 'unreachable', error: result.error }
    const [status, first, second] = result.reply
    switch (status) {
      case 'acquired':
        return { status, hold: { ...claim, fence: Number(first), sinceMs: result.sentAtMs } }
      case 'held':
        return { status, leftMs: Number(first) }
      case 'in-doubt':
        return { status, fence: Number(first), nonce: String(second) }
      case 'conflict':
        return { status }
      default:
        return final(result)
    }
  }

  /** The point of no return. Asked again under the same nonce until answered: only an answer permits the effect. */
  async begin({ record, owner, fence }: Hold, nonce: string): Promise<{ status: 'begun' } | Lost | Silence> {
    const result = await this.#connection.call(scripts.begin, record, [owner, fence, nonce, this.#leaseMs, this.#ttlMs])
    if (!result.answered) return { status: 'unreachable', error: result.error }
    return { status: result.reply[0] === 'begun' ? 'begun' : 'lost' }
  }

  /** Gives the key back. Only for an attempt that sent no effect and never will. */
  async abandon({ record, owner, fence }: Hold, nonce: string): Promise<void> {
    await this.#connection.persist(scripts.abandon, record, [owner, fence, nonce, this.#ttlMs])
  }

  async renew({ record, owner, fence }: Hold): Promise<{ status: 'renewed'; sinceMs: number } | Lost | Silence> {
    const result = await this.#connection.once(scripts.renew, record, [owner, fence, this.#leaseMs, this.#ttlMs])
    if (!result.answered) return { status: 'unreachable', error: result.error }
    return result.reply[0] === 'renewed' ? { status: 'renewed', sinceMs: result.sentAtMs } : { status: 'lost' }
  }

  /** Records a fact; answers what is on record, which is the first fact that was. */
  async complete({ record, fingerprint }: Claim, fence: number, result: string): Promise<Completed | Silence> {
    const call = await this.#connection.persist(scripts.complete, record, [fence, result, fingerprint, this.#ttlMs])
    return call.answered
      ? { status: 'completed', result: String(call.reply[1]) }
      : { status: 'unreachable', error: call.error }
  }

  async refuse({ record, owner, fence }: Hold, error: string): Promise<Completed | Refused | Lost | Silence> {
    const result = await this.#connection.persist(scripts.refuse, record, [owner, fence, error, this.#ttlMs])
    if (!result.answered) return { status: 'unreachable', error: result.error }
    return result.reply[0] === 'lost' ? { status: 'lost' } : final(result)
  }

  async reopen({ record }: Claim, fence: number, nonce: string): Promise<{ status: 'reopened' } | Lost | Silence> {
    const result = await this.#connection.call(scripts.reopen, record, [fence, nonce, this.#ttlMs])
    if (!result.answered) return { status: 'unreachable', error: result.error }
    return { status: result.reply[0] === 'reopened' ? 'reopened' : 'lost' }
  }
}

function final({ reply: [status, text] }: Extract<CallResult, { answered: true }>): Completed | Refused {
  if (status === 'completed') return { status, result: String(text) }
  if (status === 'refused') return { status, error: String(text) }
  throw new Error(`a script answered "${status}", which this version does not know`)
}
