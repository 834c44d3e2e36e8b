/** Commands on sorted sets. */
import type { Random } from '../random.ts'
import type { Template } from './template.ts'
import { field, float, index, integer, keyLike, many } from './vocabulary.ts'

function bound(random: Random): string {
  return (random.chance(20) ? '(' : '') + (random.chance(30) ? random.pick(['-inf', '+inf', '', ' 1']) : float(random))
}

export const sortedSetTemplates: readonly Template[] = [
  [
    8,
    (r) => [
      'ZADD',
      keyLike(r, 'zset'),
      ...many(r, 0, 2, () => [r.pick(['NX', 'XX', 'CH', 'INCR', 'gt', 'LT'])]),
      ...many(r, 1, 3, () => [r.chance(60) ? integer(r) : float(r), field(r)]),
    ],
  ],
  [
    8,
    (r) => [
      'ZADD',
      keyLike(r, 'zset'),
      ...many(r, 1, 4, () => [r.chance(60) ? String(r.below(9)) : float(r), field(r)]),
    ],
  ],
  [3, (r) => ['ZINCRBY', keyLike(r, 'zset'), float(r), field(r)]],
  [3, (r) => ['ZREM', keyLike(r, 'zset'), ...many(r, 1, 3, () => [field(r)])]],
  [4, (r) => [r.pick(['ZSCORE', 'ZMSCORE', 'ZRANK', 'ZREVRANK']), keyLike(r, 'zset'), field(r)]],
  [2, (r) => ['ZCARD', keyLike(r, 'zset')]],
  [
    4,
    (r) => [
      r.pick(['ZRANGE', 'ZREVRANGE']),
      keyLike(r, 'zset'),
      index(r),
      index(r),
      ...many(r, 0, 2, () => [r.pick(['WITHSCORES', 'REV', 'BYSCORE', 'bad'])]),
    ],
  ],
  [
    5,
    (r) => [
      r.pick(['ZRANGEBYSCORE', 'ZREVRANGEBYSCORE']),
      keyLike(r, 'zset'),
      bound(r),
      bound(r),
      ...many(r, 0, 2, () => r.pick([['WITHSCORES'], ['LIMIT', index(r), index(r)], ['bad']])),
    ],
  ],
  [3, (r) => [r.pick(['ZCOUNT', 'ZREMRANGEBYSCORE']), keyLike(r, 'zset'), bound(r), bound(r)]],
]
