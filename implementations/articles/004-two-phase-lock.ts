/**
 * Article 004 ("Idempotency in Event-Driven Systems via Distributed Locks & Keys"), third pattern,
 * its block with AdvancedIdempotentProcessor: a short lock to write STARTED, the effect without a
 * lock, the lock again to write COMPLETED or FAILED.
 * What the article claims: production grade; it resolves the races, handles crashes, and keeps
 * locks short. It says that a result which cannot be saved is tricky, and that STARTED then ends by
 * itself.
 * Limits: the lock lives for 5 seconds, STARTED for 5 minutes, COMPLETED and FAILED for a day. The
 * lock is requested 5 times, 100 ms apart. Both phases use one token; STARTED's owner is not
 * checked.
 * How it acknowledges: after the effect, and when a result is found. It does not define errors: a
 * busy lock, a STARTED record (it fails fast), a FAILED one (the stored error again), a failed
 * effect, a failed second lock. Not acknowledged here, but in `004-two-phase-lock-ack-on-error`.
 * What differs: go-redis resends a command 3 times and waits 3 s for each reply; ioredis resends up
 * to 20 times and waits without limit. go-redis sends EX for whole seconds, and so does this. The
 * result is a string in the article; here it is the receipt as JSON.
 * Decided here: Go's deferred releases are `finally`, in the same order: one for each taken lock,
 * plus the one before the effect, so that a successful run releases three times.
 */
import { randomUUID } from 'node:crypto'
import { Redis } from 'ioredis'
import { defineImplementation, type Implementation } from '../../src/contract/api/implementation.ts'
import type { JsonValue } from '../../src/contract/api/json.ts'
import type { Outcome } from '../../src/contract/api/message.ts'
import type { EffectRequest, Sink } from '../../src/contract/api/sink.ts'
import { acquireLock, InProgress, releaseLock } from './004-lock-and-record.ts'

/** The article's limits: 5 seconds, 5 minutes and a day. */
const lockSeconds = 5
export const startedSeconds = 5 * 60
export const finalSeconds = 24 * 60 * 60
const finalTries = 5
const betweenTriesMs = 100

export type Stored =
  | { status: 'STARTED'; startedAt?: number }
  | { status: 'COMPLETED'; result: string }
  | { status: 'FAILED'; error: string }

class Processor {
  constructor(
    private readonly client: Redis,
    private readonly sink: Sink,
    private readonly rules: Pick<Required<Variant>, 'started' | 'goesOn'>,
  ) {}

  /** @throws InProgress, and the errors of the effect or Redis, now or in an earlier attempt */
  async process(key: string, payload: JsonValue): Promise<JsonValue> {
    const token = randomUUID()
    const release = () => releaseLock(this.client, `lock:${key}`, token)
    if (!(await acquireLock(this.client, `lock:${key}`, token, lockSeconds))) throw new InProgress(`${key} is locked`)
    try {
      const found = await this.client.get(`record:${key}`)
      const before = found === null ? null : (JSON.parse(found) as Stored)
      if (before !== null && !this.rules.goesOn(before)) return answerOf(key, before)
      await this.write(key, this.rules.started(), startedSeconds)
      await release()
      const stored = await perform(this.sink, { key, payload })
      await this.takeAgain(key, token)
      try {
        await this.write(key, stored, finalSeconds)
      } finally {
        await release()
      }
      return answerOf(key, stored)
    } finally {
      await release()
    }
  }

  private async takeAgain(key: string, token: string): Promise<void> {
    for (let tries = 0; tries < finalTries; tries++) {
      if (await acquireLock(this.client, `lock:${key}`, token, lockSeconds).catch(() => false)) return
      await new Promise((resolve) => setTimeout(resolve, betweenTriesMs))
    }
    throw new Error(`the lock of ${key} could not be taken again`)
  }

  private write(key: string, stored: Stored, seconds: number): Promise<'OK'> {
    return this.client.set(`record:${key}`, JSON.stringify(stored), 'EX', seconds)
  }
}

/** The record that an effect leaves, including its error. */
export async function perform(sink: Sink, request: EffectRequest): Promise<Stored> {
  try {
    return { status: 'COMPLETED', result: JSON.stringify((await sink.perform(request)) ?? null) }
  } catch (error) {
    return { status: 'FAILED', error: (error as Error).message }
  }
}

/** @throws InProgress, and the error of an earlier attempt */
export function answerOf(key: string, stored: Stored): JsonValue {
  if (stored.status === 'STARTED') throw new InProgress(`${key} is in progress`)
  if (stored.status === 'FAILED') throw new Error(stored.error)
  return JSON.parse(stored.result)
}

interface Variant {
  readonly id: string
  readonly about: string
  /** The outcome for an error that the article's function returns. */
  readonly failed: (error: Error) => Outcome
  /** The record of a started effect; default: only its status. */
  readonly started?: () => Stored
  /** True if the effect may be performed in spite of the found record; default: never. */
  readonly goesOn?: (found: Stored) => boolean
  readonly recoveryBoundMs?: number
}

export function twoPhaseLock(variant: Variant): Implementation {
  const { id, about, failed, started = () => ({ status: 'STARTED' }), goesOn = () => false } = variant
  return defineImplementation({
    id,
    about,
    expect: 'broken',
    recoveryBoundMs: variant.recoveryBoundMs ?? (startedSeconds + lockSeconds) * 1000,
    sinks: ['plain', 'keyed'],
    lacks: ['dead-lettering'],
    create({ redis, sink }) {
      const client = new Redis(redis.options)
      const processor = new Processor(client, sink, { started, goesOn })
      return {
        async handle({ key, payload }) {
          try {
            return { status: 'done', result: await processor.process(key, payload) }
          } catch (error) {
            return failed(error as Error)
          }
        },
        close: () => client.disconnect(),
      }
    },
  })
}

export default twoPhaseLock({
  id: '004-two-phase-lock',
  about:
    'A short lock to write STARTED and again to write the result, none around the effect; errors come again (article 004).',
  failed: ({ message }) => ({ status: 'retry', reason: message }),
})
