/**
 * Article 004 ("Idempotency in Event-Driven Systems via Distributed Locks & Keys"), second pattern,
 * acquireLock, releaseLock and LockBasedIdempotentProcess: a token's lock around GET, effect and
 * SET.
 * What the article claims: robust; with the lock around check and act the effect runs once. It says
 * that a crash before the result is not handled, and that long work holds the lock for long.
 * Limits: the lock lives for 10 seconds, the result for a day.
 * How it acknowledges: after the effect, and when a result is found. It does not define errors,
 * such as a held lock: not acknowledged here, but in `004-lock-and-record-ack-on-error`.
 * What differs: go-redis resends a command 3 times and waits 3 s for each reply; ioredis resends up
 * to 20 times and waits without limit. The text says PX; go-redis sends EX for whole seconds, and
 * so does this. The result is a string in the article; here it is the receipt as JSON.
 */
import { randomUUID } from 'node:crypto'
import { Redis } from 'ioredis'
import { defineImplementation, type Implementation } from '../../src/contract/api/implementation.ts'
import type { Message, Outcome } from '../../src/contract/api/message.ts'
import type { EffectResult, Sink } from '../../src/contract/api/sink.ts'

/** The article's limits: 10 seconds and a day. */
const lockSeconds = 10
const resultSeconds = 24 * 60 * 60

const releaseScript = `-- release: KEYS[1] lock; ARGV owner's token
if redis.call('GET', KEYS[1]) ~= ARGV[1] then
  return 0
end
return redis.call('DEL', KEYS[1])
`

/** Another consumer has the key. A separate class, so that it differs from a failure. */
export class InProgress extends Error {
  override readonly name = 'InProgress'
}

/** The article's acquireLock, which its third pattern uses too. True if the lock was free. */
export async function acquireLock(client: Redis, lock: string, token: string, seconds: number): Promise<boolean> {
  return (await client.set(lock, token, 'EX', seconds, 'NX')) === 'OK'
}

/** The article's releaseLock: deletes the lock if it has that token. Its callers ignore errors. */
export async function releaseLock(client: Redis, lock: string, token: string): Promise<void> {
  await client.eval(releaseScript, 1, lock, token).catch(() => {})
}

/** Requests the lock: true if it was taken. */
type Acquire = typeof acquireLock

/** @throws InProgress, and the errors of the effect or Redis */
async function underLock(
  client: Redis,
  sink: Sink,
  acquire: Acquire,
  { key, payload }: Message,
): Promise<EffectResult> {
  const lock = `lock:${key}`
  const record = `record:${key}`
  const token = randomUUID()
  if (!(await acquire(client, lock, token, lockSeconds))) throw new InProgress(`${key} is locked`)
  try {
    const found = await client.get(record)
    if (found !== null) return JSON.parse(found)
    const receipt = await sink.perform({ key, payload })
    await client.set(record, JSON.stringify(receipt ?? null), 'EX', resultSeconds)
    return receipt
  } finally {
    await releaseLock(client, lock, token)
  }
}

interface Variant {
  readonly id: string
  readonly about: string
  /** The outcome for an error that the article's function returns. */
  readonly failed: (error: Error) => Outcome
  /** Default: requests the lock once. */
  readonly acquire?: Acquire
}

export function lockAndRecord({ id, about, failed, acquire = acquireLock }: Variant): Implementation {
  return defineImplementation({
    id,
    about,
    expect: 'broken',
    recoveryBoundMs: lockSeconds * 1000,
    sinks: ['plain', 'keyed'],
    lacks: ['dead-lettering'],
    create({ redis, sink }) {
      const client = new Redis(redis.options)
      return {
        async handle(message) {
          try {
            return { status: 'done', result: await underLock(client, sink, acquire, message) }
          } catch (error) {
            return failed(error as Error)
          }
        },
        close: () => client.disconnect(),
      }
    },
  })
}

export default lockAndRecord({
  id: '004-lock-and-record',
  about:
    'A lock of 10 seconds around GET, effect and SET of the result; errors are delivered again (article 004, second).',
  failed: ({ message }) => ({ status: 'retry', reason: message }),
})
