/** Commands on keys, expiry and databases. */
import type { Random } from 'test-servers'
import { milliseconds, millisecondsAt, seconds, secondsAt } from './deadlines.ts'
import type { Template } from './template.ts'
import { index, key, many } from './vocabulary.ts'

function expireConditions(random: Random): string[] {
  return many(random, 0, 2, () => [random.pick(['NX', 'XX', 'GT', 'LT', 'nx', 'gt', 'bad'])])
}

/**
 * Outputs of SORT. Sorting by numbers is only tested in hand-written sequences, because SORT in
 * real Redis may report a range error that an earlier command left in `errno`.
 */
const sortOutputs = [['GET', '#'], ['GET', 'n*'], ['GET', 'h*->f1'], ['STORE', 'l2'], ['bad']]

export const keyTemplates: readonly Template[] = [
  [4, (r) => [r.pick(['DEL', 'UNLINK']), ...many(r, 1, 3, () => [key(r)])]],
  [3, (r) => [r.pick(['EXISTS', 'TOUCH']), ...many(r, 1, 3, () => [key(r)])]],
  [3, (r) => ['TYPE', key(r)]],
  [4, (r) => ['EXPIRE', key(r), r.pick(seconds), ...expireConditions(r)]],
  [4, (r) => ['PEXPIRE', key(r), r.pick(milliseconds), ...expireConditions(r)]],
  [4, (r) => ['EXPIREAT', key(r), r.pick(secondsAt), ...expireConditions(r)]],
  [4, (r) => ['PEXPIREAT', key(r), r.pick(millisecondsAt), ...expireConditions(r)]],
  [5, (r) => [r.pick(['TTL', 'PTTL', 'EXPIRETIME', 'PEXPIRETIME', 'PERSIST']), key(r)]],
  [3, (r) => [r.pick(['RENAME', 'RENAMENX']), key(r), key(r)]],
  [
    3,
    (r) => [
      'COPY',
      key(r),
      key(r),
      ...many(r, 0, 2, () =>
        r.chance(50) ? ['REPLACE'] : ['DB', r.pick(['0', '1', '15', '16', '-1', 'x', '99999999999'])],
      ),
    ],
  ],
  [2, (r) => ['MOVE', key(r), r.pick(['0', '1', '16', 'x', '-1', '3000000000'])]],
  [
    3,
    (r) => [
      'KEYS',
      r.pick(['*', 'h*', '?', '[a-c]', '[^a]*', '\\*', 'k*e', '[b-', '[', 'h[12]', '[z-a]', '**1', '*[', 'a\\', '']),
    ],
  ],
  [
    2,
    (r) => [
      'SCAN',
      r.pick(['0', '0', '0', 'x', '-1', '', '99999999999999999999999']),
      'COUNT',
      r.pick(['1000', '1000', '0', '-1', 'x']),
      ...(r.chance(30) ? ['MATCH', '*1'] : []),
      ...(r.chance(30) ? ['TYPE', r.pick(['string', 'HASH', 'nope'])] : []),
      ...(r.chance(5) ? ['odd'] : []),
    ],
  ],
  [
    2,
    (r) => [
      r.pick(['SORT', 'SORT', 'SORT_RO']),
      r.pick(['l1', 'l2', 'set1', 'z1', 'a']),
      'ALPHA',
      ...many(r, 0, 3, () => r.pick([['ASC'], ['DESC'], ['LIMIT', index(r), index(r)], ...sortOutputs])),
    ],
  ],
  // SORT is generated so that its sort keys differ, because the order of equal keys is random.
  [
    2,
    (r) => [
      'SORT',
      r.pick(['l1', 'l2']),
      'ALPHA',
      'BY',
      r.pick(['none', 'n*', 'h*->f1', '#']),
      ...many(r, 0, 2, () => r.pick([['DESC'], ['GET', '#'], ['GET', 'n*']])),
    ],
  ],
  [1, () => ['RANDOMKEY']],
  [2, () => ['DBSIZE']],
  [4, (r) => ['OBJECT', r.pick(['ENCODING', 'encoding', 'REFCOUNT', 'FREQ', 'IDLETIME']), key(r)]],
  [1, (r) => [r.pick(['FLUSHDB', 'FLUSHALL']), ...(r.chance(40) ? [r.pick(['ASYNC', 'sync', 'bad'])] : [])]],
  [2, (r) => ['SELECT', r.pick(['0', '0', '0', '1', '15', '16', '-1', 'x', '', '4294967296'])]],
  [1, (r) => ['SWAPDB', r.pick(['0', '1', 'x', '16']), r.pick(['0', '1', 'y', '-1'])]],
]
