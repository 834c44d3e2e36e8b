/** Commands on streams and consumer groups. IDs are explicit, so they do not depend on a clock. */
import type { Random } from 'test-servers'
import type { Template } from './template.ts'
import { field, keyLike, many, value } from './vocabulary.ts'

function id(random: Random): string {
  return random.chance(85)
    ? `${random.below(30)}-${random.below(4)}`
    : random.pick([
        '5',
        '0',
        '0-0',
        '18446744073709551615-18446744073709551615',
        '-',
        '+',
        'x',
        '',
        '1-x',
        '+7-1',
        ' 8',
        '1--1',
      ])
}

/** Usually a later ID than those in the stream, so that XADD accepts it. */
function newId(random: Random): string {
  return random.chance(70) ? random.pick(['7-*', '12-*', '20-*', '29-*', '29-*', '29-*']) : id(random)
}

const group = (random: Random) => random.pick(['g1', 'g1', 'g2', ''])
const consumer = (random: Random) => random.pick(['alice', 'bob', 'carol'])
const bound = (random: Random) =>
  (random.chance(15) ? '(' : '') + (random.chance(40) ? random.pick(['-', '+']) : id(random))
const count = (random: Random) => (random.chance(40) ? ['COUNT', random.pick(['1', '2', '0', '-1', 'x'])] : [])

function trim(random: Random): string[] {
  const exact = random.pick([[], ['='], ['~']])
  const what = random.chance(60)
    ? ['MAXLEN', ...exact, random.pick(['0', '3', '10', '-1', 'x'])]
    : ['MINID', ...exact, id(random)]
  return [...what, ...(random.chance(20) ? ['LIMIT', random.pick(['0', '2', '200', '-1', 'x'])] : [])]
}

function streams(random: Random, ids: () => string): string[] {
  const keys = many(random, 1, 2, () => [keyLike(random, 'stream')])
  return ['STREAMS', ...keys, ...keys.map(ids), ...(random.chance(3) ? ['odd'] : [])]
}

const block = (random: Random) => (random.chance(15) ? ['BLOCK', random.pick(['1', '1', '-1', 'x'])] : [])

export const streamTemplates: readonly Template[] = [
  [
    14,
    (r) => [
      'XADD',
      keyLike(r, 'stream'),
      ...(r.chance(5) ? ['NOMKSTREAM'] : []),
      ...(r.chance(12) ? trim(r) : []),
      newId(r),
      ...many(r, 1, 3, () => [field(r), value(r)]),
      ...(r.chance(3) ? ['odd'] : []),
    ],
  ],
  [1, (r) => ['XLEN', keyLike(r, 'stream')]],
  [4, (r) => [r.pick(['XRANGE', 'XREVRANGE']), keyLike(r, 'stream'), bound(r), bound(r), ...count(r)]],
  [2, (r) => ['XDEL', keyLike(r, 'stream'), ...many(r, 1, 3, () => [id(r)])]],
  [2, (r) => ['XTRIM', keyLike(r, 'stream'), ...trim(r)]],
  [
    1,
    (r) => [
      'XSETID',
      keyLike(r, 'stream'),
      id(r),
      ...(r.chance(40) ? ['ENTRIESADDED', r.pick(['5', '100', '-1'])] : []),
      ...(r.chance(30) ? ['MAXDELETEDID', id(r)] : []),
    ],
  ],
  [
    6,
    (r) => [
      'XGROUP',
      'CREATE',
      keyLike(r, 'stream'),
      group(r),
      r.pick(['$', '0', '0', id(r)]),
      ...(r.chance(40) ? ['MKSTREAM'] : []),
      ...(r.chance(15) ? ['ENTRIESREAD', r.pick(['3', '-1', '-2', 'x'])] : []),
    ],
  ],
  [1, (r) => ['XGROUP', 'SETID', keyLike(r, 'stream'), group(r), r.pick(['$', id(r)])]],
  [1, (r) => ['XGROUP', 'DESTROY', keyLike(r, 'stream'), group(r)]],
  [2, (r) => ['XGROUP', r.pick(['CREATECONSUMER', 'DELCONSUMER']), keyLike(r, 'stream'), group(r), consumer(r)]],
  [3, (r) => ['XREAD', ...count(r), ...block(r), ...streams(r, () => r.pick(['$', '0', '>', id(r)]))]],
  [
    10,
    (r) => [
      'XREADGROUP',
      'GROUP',
      group(r),
      consumer(r),
      ...count(r),
      ...block(r),
      ...(r.chance(15) ? ['NOACK'] : []),
      ...streams(r, () => r.pick(['>', '>', '>', '0', id(r), '$'])),
    ],
  ],
  [4, (r) => ['XACK', keyLike(r, 'stream'), group(r), ...many(r, 1, 4, () => [id(r)])]],
  [2, (r) => ['XPENDING', keyLike(r, 'stream'), group(r)]],
  [
    3,
    (r) => [
      'XPENDING',
      keyLike(r, 'stream'),
      group(r),
      ...(r.chance(20) ? ['IDLE', r.pick(['999999', 'x', '999999'])] : []),
      bound(r),
      bound(r),
      r.pick(['10', '1', '0', '-1', 'x']),
      ...(r.chance(30) ? [consumer(r)] : []),
    ],
  ],
  [
    4,
    (r) => [
      'XCLAIM',
      keyLike(r, 'stream'),
      group(r),
      consumer(r),
      r.pick(['0', '0', '999999', '-1', 'x']),
      ...many(r, 1, 4, () => [id(r)]),
      ...many(r, 0, 2, () =>
        r.pick([
          ['FORCE'],
          ['FORCE'],
          ['JUSTID'],
          ['RETRYCOUNT', '5'],
          ['IDLE', '1000'],
          ['TIME', '5'],
          ['LASTID', id(r)],
          ['bad'],
        ]),
      ),
    ],
  ],
  [
    3,
    (r) => [
      'XAUTOCLAIM',
      keyLike(r, 'stream'),
      group(r),
      consumer(r),
      r.pick(['0', '0', '999999', 'x']),
      bound(r),
      ...(r.chance(50) ? ['COUNT', r.pick(['1', '2', '0', 'x'])] : []),
      ...(r.chance(20) ? ['JUSTID'] : []),
    ],
  ],
  [2, (r) => ['XINFO', 'GROUPS', keyLike(r, 'stream')]],
  [2, (r) => ['XINFO', 'CONSUMERS', keyLike(r, 'stream'), group(r)]],
  [2, (r) => ['XINFO', 'STREAM', keyLike(r, 'stream'), ...(r.chance(50) ? ['FULL', ...count(r)] : [])]],
]
