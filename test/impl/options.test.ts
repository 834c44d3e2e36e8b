/** Options are checked before anything is connected: each error is one line with a remedy. */
import { expect, it } from 'vitest'
import { adopt, createOnce, createOnceTables } from '../../src/impl/once.ts'
import { settingsOf } from '../../src/impl/options.ts'

const redis = { host: '127.0.0.1', port: 1 }
const final = () => true
/** As much of a pool as is looked at. */
const pool = { totalCount: 0, connect: () => expect.fail('a connection') }
const times = { leaseMs: 1000, retentionMs: 60_000 }
const [onRedis, onPostgres] = [
  { redis, replicas: 0, ...times },
  { pool, ...times },
]
const rows = { ...onPostgres, sink: { kind: 'transactional' }, isRefusal: final }

const refused: [string, object | null | undefined, string][] = [
  ['no options', undefined, 'createOnce: give { redis } with an address or a client, or { pool } with a Pool of pg'],
  ['no store', times, 'createOnce: give { redis } with an address or a client, or { pool } with a Pool of pg'],
  ['another case', { ...onRedis, leaseMS: 1 }, 'createOnce on Redis: leaseMS is not an option: did you mean leaseMs?'],
  ['a part', { ...onRedis, prefix: 'x' }, 'createOnce on Redis: prefix is not an option: did you mean keyPrefix?'],
  [
    'a typo',
    { ...onRedis, isRefussal: 1 },
    'createOnce on Redis: isRefussal is not an option: did you mean isRefusal?',
  ],
  ['no such', { ...onRedis, timeZone: 1 }, 'createOnce on Redis: timeZone is not an option: remove it'],
  ['of Redis', { ...onPostgres, replicas: 1 }, 'createOnce on PostgreSQL: replicas is not an option: remove it'],
  [
    'of requests',
    { ...rows, maxAttempts: 1 },
    'createOnce on rows of PostgreSQL: maxAttempts is not an option: remove it',
  ],
  [
    'of a sink',
    { ...onRedis, sink: { kind: 'plain', reconcille: 1 } },
    'sink: reconcille is not an option: did you mean reconcile?',
  ],
  [
    'of another sink',
    { ...onRedis, sink: { kind: 'keyed', settledByHand: true } },
    'sink: settledByHand is not an option: remove it',
  ],
  [
    'no replicas',
    { redis, ...times },
    'createOnce: replicas is missing: give the number of replicas of each primary, or 0',
  ],
  ...[
    { ...onRedis, sink: { kind: 'keyed' } },
    { ...onRedis, sink: { kind: 'fenced', raise: async () => ({ status: 'clear' }) } },
    { ...onPostgres, sink: { kind: 'keyed' } },
    { ...rows, isRefusal: undefined },
  ].map((options): [string, object, string] => [
    `no isRefusal, ${options.sink.kind}`,
    options,
    'createOnce: isRefusal is missing: say which errors are final, or give () => false',
  ]),
  ['a truth', { ...onRedis, isRefusal: true }, 'isRefusal: true (boolean) is not a function'],
  ['a text', { ...onRedis, allowMinority: 'no' }, 'allowMinority: no (string) is not a boolean'],
  ['a number', { ...onPostgres, synchronousStandby: 1 }, 'synchronousStandby: 1 (number) is not a boolean'],
  ['a listener', { ...onRedis, onEvent: {} }, 'onEvent: [object Object] (object) is not a function'],
  [
    'a prefix with a slot',
    { ...onRedis, keyPrefix: '{a}:' },
    "keyPrefix: '{a}:' is not valid: give a text without braces, such as once:",
  ],
  [
    'a namespace',
    { ...onRedis, namespace: 'Pay' },
    "namespace: 'Pay' is not valid: give at most 30 of a-z, 0-9 and _, with a letter first",
  ],
  [
    'a sink by its kind',
    { ...onRedis, sink: 'keyed' },
    "sink: 'keyed' is not an object: give one, such as { kind: 'plain' }",
  ],
  [
    'no such sink',
    { ...onRedis, sink: { kind: 'keyd' } },
    "sink: 'keyd' is not a kind of sink: give 'plain', 'keyed' or 'fenced'",
  ],
  ...[console.log, {}, null].map((logger): [string, object, string] => [
    `a logger, ${logger}`,
    { ...onRedis, logger },
    'logger: not a logger: give pino(), or an object with debug, info, warn and error',
  ]),
  [
    'a meter as telemetry',
    { ...onPostgres, telemetry: { createCounter() {} } },
    'telemetry: not one: give openTelemetry() of onceproof/once/opentelemetry',
  ],
  ...(
    [
      ['redis://localhost', "'redis://localhost' is not an address"],
      [undefined, 'undefined is not an address'],
      [{ url: 'redis://localhost' }, 'url is not part of an address'],
      [{ hostname: 'localhost', port: 1 }, 'hostname is not part of an address'],
      [{ db: 2 }, 'there is no host'],
    ] as const
  ).map(([at, what]): [string, object, string] => [
    `an address, ${what}`,
    { ...onRedis, redis: at },
    `redis: ${what}: give { host, port }, or new Redis(url)`,
  ]),
  [
    'no nodes',
    { ...onRedis, redis: { nodes: [] } },
    'redis: nodes are missing: give an array of at least one { host, port }',
  ],
  [
    'a process',
    { ...onRedis, process: 'a b' },
    "process: 'a b' is not a name: give 1 to 64 characters of ASCII without spaces",
  ],
]

it.each(refused)('createOnce refuses, before it connects: %s', (_, options, line) => {
  expect(() => createOnce(options as never)).toThrow(new TypeError(line))
})

it.each([
  ['replicas are left out for a keyed sink', { redis, ...times, sink: { kind: 'keyed' }, isRefusal: final }],
  ['isRefusal is left out, and attempts are limited', { ...onRedis, sink: { kind: 'keyed' }, maxAttempts: 3 }],
  ['isRefusal is left out for a plain sink', { ...onRedis, sink: { kind: 'plain', settledByHand: true } }],
  ['an unknown option is undefined', { ...onRedis, sink: undefined, prefix: undefined }],
  ['each option is valid', { ...onRedis, keyPrefix: 'acme:', namespace: 'pay_2', process: 'w-1', isRefusal: final }],
])('a layer on Redis is accepted if %s', (_, options) => {
  expect(settingsOf(options as never).leaseMs).toBe(1000)
})

it('a layer for rows is accepted with all of its options', () => {
  const { close } = createOnce({ ...rows, maxClockSkewMs: 5, namespace: 'pay', onEvent: () => {} } as never)
  close()
})

it('adopt and createOnceTables refuse unknown options', async () => {
  const options = { redis, since: 0, bucket: 8 }
  await expect(adopt(options)).rejects.toThrow('adopt: bucket is not an option: did you mean buckets?')
  const tables = { pool, sinse: 0 } as never
  await expect(createOnceTables(tables)).rejects.toThrow(
    'createOnceTables: sinse is not an option: did you mean since?',
  )
})
