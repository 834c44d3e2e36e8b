/** Commands on strings and counters. */
import type { Random } from 'test-servers'
import { milliseconds, seconds, timeOption } from './deadlines.ts'
import type { Template } from './template.ts'
import { float, index, integer, key, keyLike, many, value } from './vocabulary.ts'

function setOptions(random: Random): string[] {
  return many(random, 0, 3, () =>
    random.weighted<() => string[]>([
      [3, () => ['NX']],
      [3, () => ['xx']],
      [4, () => ['GET']],
      [4, () => timeOption(random)],
      [2, () => ['KEEPTTL']],
      [1, () => [random.pick(['PERSIST', 'foo', '', 'nxx'])]],
    ])(),
  )
}

export const stringTemplates: readonly Template[] = [
  [12, (r) => ['SET', keyLike(r, 'string'), value(r)]],
  [4, (r) => ['SET', keyLike(r, 'number'), integer(r)]],
  [12, (r) => ['SET', keyLike(r, 'string'), value(r), ...setOptions(r)]],
  [12, (r) => ['GET', keyLike(r, 'string')]],
  [3, (r) => ['GETSET', keyLike(r, 'string'), value(r)]],
  [3, (r) => ['GETDEL', keyLike(r, 'string')]],
  [
    5,
    (r) => [
      'GETEX',
      keyLike(r, 'string'),
      ...(r.chance(70) ? timeOption(r) : r.chance(50) ? ['PERSIST'] : setOptions(r)),
    ],
  ],
  [3, (r) => ['SETNX', keyLike(r, 'string'), value(r)]],
  [3, (r) => ['SETEX', keyLike(r, 'string'), r.pick(seconds), value(r)]],
  [3, (r) => ['PSETEX', keyLike(r, 'string'), r.pick(milliseconds), value(r)]],
  [3, (r) => ['MSET', ...many(r, 1, 3, () => [keyLike(r, 'string'), value(r)]), ...(r.chance(10) ? ['odd'] : [])]],
  [3, (r) => ['MSETNX', ...many(r, 1, 2, () => [key(r), value(r)]), ...(r.chance(10) ? ['odd'] : [])]],
  [3, (r) => ['MGET', ...many(r, 1, 4, () => [key(r)])]],
  [4, (r) => ['APPEND', keyLike(r, 'string'), value(r)]],
  [4, (r) => ['STRLEN', keyLike(r, 'string')]],
  [4, (r) => [r.pick(['GETRANGE', 'SUBSTR']), keyLike(r, 'string'), index(r), index(r)]],
  [4, (r) => ['SETRANGE', keyLike(r, 'string'), index(r), value(r)]],
  [5, (r) => [r.pick(['INCR', 'DECR']), keyLike(r, 'number')]],
  [5, (r) => [r.pick(['INCRBY', 'DECRBY']), keyLike(r, 'number'), integer(r)]],
  [6, (r) => ['INCRBYFLOAT', keyLike(r, 'number'), float(r)]],
  [1, (r) => ['LCS', keyLike(r, 'string'), keyLike(r, 'string'), ...many(r, 0, 3, () => [r.pick(lcsOptions)])]],
]

const lcsOptions = ['IDX', 'LEN', 'WITHMATCHLEN', 'MINMATCHLEN', '2', 'bad']
