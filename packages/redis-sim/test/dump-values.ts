/** Values of every type and encoding for DUMP and RESTORE. */
export const words = (text: string) => text.split(' ')
const many = Array.from({ length: 700 }, (_, at) => `element ${at} ${'x'.repeat(at % 90)}`)

/** A name, the commands that store the value at `k`, and the command that reads it. */
export const values: readonly (readonly [string, readonly (readonly string[])[], string])[] = [
  ['a string', [['SET', 'k', 'text that repeats, text that repeats, text that repeats']], 'GET k'],
  ['a long list', [['RPUSH', 'k', ...many]], 'LRANGE k 0 -1'],
  ['a hash table', [['HSET', 'k', ...many.flatMap((text) => [text, text])]], 'HLEN k'],
  ['a set of integers', [words('SADD k 1 -70000 12345678901')], 'SMEMBERS k'],
  ['a set', [['SADD', 'k', ...many]], 'SCARD k'],
  ['a skip list', [['ZADD', 'k', ...many.flatMap((text, at) => [String(at / 3), text])]], 'ZRANGE k 0 -1 WITHSCORES'],
  [
    'a stream with groups',
    [
      ...Array.from({ length: 120 }, (_, at) => words(`XADD k ${at + 1}-0 a ${at} b ${at % 3}`)),
      words('XDEL k 5-0 6-0 118-0'),
      words('XGROUP CREATE k g 0'),
      words('XREADGROUP GROUP g alice COUNT 3 STREAMS k >'),
      words('XREADGROUP GROUP g bob COUNT 1 STREAMS k >'),
      words('XACK k g 2-0'),
    ],
    'XRANGE k - +',
  ],
]
