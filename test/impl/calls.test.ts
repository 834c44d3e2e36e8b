/** Mistakes in a call are refused before anything is sent: no server is running here. */
import { expect, it } from 'vitest'
import { createOnce, type Once } from '../../src/impl/once.ts'

const times = { leaseMs: 1000, retentionMs: 60_000 }
const sink = { kind: 'plain', settledByHand: true } as const
const message = { key: 'order-1', payload: {}, producedAt: Date.now() }
const effect = async () => 1
const doubt = {
  ...{ key: 'order-1', producedAt: 1, begunAt: 1, process: 'w', attempt: 1, meta: null, fence: 1 },
  handle: { nonce: '', of: '', fingerprint: '' },
}

type Call = (once: Record<keyof Once, (...given: unknown[]) => Promise<unknown>>) => Promise<unknown>

const refused: readonly [string, Call, string][] = [
  ['no message', ({ run }) => run(), 'run: the message is missing: give { key, payload, producedAt }'],
  ['no effect', ({ run }) => run(message), 'run: the effect is missing: give a function, or { prepare, effect }'],
  [
    'an effect of another type',
    ({ run }) => run(message, { prepare: effect, effect: 1 }),
    'run: the effect is missing: give a function, or { prepare, effect }',
  ],
  [
    'an object without prepare',
    ({ run }) => run(message, { effect }),
    'run: prepare is missing: give it, or give the effect instead of an object',
  ],
  [
    'meta of the work that is data',
    ({ run }) => run(message, { prepare: effect, meta: { order: 1 }, effect }),
    'run: meta of the work is not a function: give one, or meta of the message',
  ],
  [
    'a time in seconds',
    ({ run }) => run({ ...message, producedAt: 1_796_071_795 }, effect),
    'producedAt: 1796071795 is in seconds: give milliseconds, 1000 times as many',
  ],
  [
    'no settlement',
    ({ settle }) => settle(doubt),
    "settle: give { status: 'applied', result } or { status: 'barred' }",
  ],
  [
    'another settlement',
    ({ settle }) => settle(doubt, { status: 'aplied' }),
    "settle: give { status: 'applied', result } or { status: 'barred' }",
  ],
  [
    'a misspelled result, which would be recorded as null',
    ({ settle }) => settle(doubt, { status: 'applied', resutl: 1 }),
    'settle: resutl is not an option: did you mean result?',
  ],
]

it.each(refused)('a call is refused: %s', async (_, call, line) => {
  const once = createOnce({ redis: { host: '127.0.0.1', port: 1 }, replicas: 0, sink, ...times })
  try {
    await expect(call(once as never)).rejects.toThrow(new TypeError(line))
  } finally {
    once.close()
  }
})

it('a call without an effect is refused if the effect would be rows', async () => {
  const pool = { totalCount: 0, connect: () => expect.fail('a connection') }
  const rows = { pool, ...times, sink: { kind: 'transactional' }, isRefusal: () => true }
  const { run } = createOnce(rows as never) as Pick<Once, 'run'>
  await expect(run(message, undefined as never)).rejects.toThrow('run: the effect is missing: give a function')
})
