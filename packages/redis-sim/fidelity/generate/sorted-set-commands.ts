/** Commands on sorted sets. */
import type { Random } from 'test-servers'
import { countOf, timeout } from './collection-commands.ts'
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
  // All scores of `zlex` are equal, because ranges by member require equal scores.
  [4, (r) => ['ZADD', 'zlex', ...many(r, 1, 4, () => ['0', field(r)])]],
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
  [1, (r) => ['ZREMRANGEBYRANK', keyLike(r, 'zset'), index(r), index(r)]],
  [
    4,
    (r) => [
      r.pick(['ZRANGEBYLEX', 'ZREVRANGEBYLEX']),
      'zlex',
      lexBound(r),
      lexBound(r),
      ...(r.chance(30) ? ['LIMIT', index(r), index(r)] : []),
    ],
  ],
  [2, (r) => [r.pick(['ZLEXCOUNT', 'ZREMRANGEBYLEX']), 'zlex', lexBound(r), lexBound(r)]],
  [
    5,
    (r) => {
      const by = r.pick([[], ['BYSCORE'], ['BYLEX'], ['bylex', 'REV'], ['REV'], ['BYSCORE', 'REV']])
      const ends = () => (/lex/i.test(by[0] ?? '') ? lexBound(r) : by[0] === 'BYSCORE' ? bound(r) : index(r))
      const key = /lex/i.test(by[0] ?? '') ? 'zlex' : keyLike(r, 'zset')
      const source = [key, ends(), ends(), ...by, ...(r.chance(25) ? ['LIMIT', index(r), index(r)] : [])]
      return r.chance(50) ? ['ZRANGESTORE', keyLike(r, 'zset'), ...source] : ['ZRANGE', ...source]
    },
  ],
  [3, (r) => [r.pick(['ZPOPMIN', 'ZPOPMAX']), keyLike(r, 'zset'), ...(r.chance(50) ? [index(r)] : [])]],
  [2, (r) => [r.pick(['BZPOPMIN', 'BZPOPMAX']), ...many(r, 1, 3, () => [keyLike(r, 'zset')]), timeout(r)]],
  [
    2,
    (r) => {
      const keys = many(r, 1, 3, () => [keyLike(r, 'zset')])
      const words = [
        countOf(r, keys),
        ...keys,
        r.pick(['MIN', 'max', 'bad']),
        ...(r.chance(40) ? ['COUNT', index(r)] : []),
      ]
      return r.chance(60) ? ['ZMPOP', ...words] : ['BZMPOP', timeout(r), ...words]
    },
  ],
  [6, (r) => algebra(r)],
  [
    1,
    (r) => [
      'ZRANDMEMBER',
      keyLike(r, 'zset'),
      ...(r.chance(80) ? [r.pick(['1', '2', '100', '0', '-3', 'x', '-9223372036854775808'])] : []),
      ...(r.chance(30) ? [r.pick(['WITHSCORES', 'bad'])] : []),
    ],
  ],
  [2, (r) => ['ZSCAN', keyLike(r, 'zset'), r.pick(['0', 'x']), ...(r.chance(40) ? ['MATCH', 'f*'] : [])]],
]

function lexBound(random: Random): string {
  return random.chance(20) ? random.pick(['-', '+', '', 'x', '1', '(', '[']) : random.pick(['[', '(']) + field(random)
}

/** ZUNION, ZINTER, ZDIFF and their STORE forms, over sorted sets and sometimes a set. */
function algebra(random: Random): string[] {
  const name = random.pick(['ZUNION', 'ZINTER', 'ZDIFF', 'ZINTERCARD'])
  const stores = name !== 'ZINTERCARD' && random.chance(50)
  const keys = many(random, 1, 3, () => [random.chance(85) ? keyLike(random, 'zset') : keyLike(random, 'set')])
  const options = many(random, 0, 2, () =>
    random.pick([
      ['WITHSCORES'],
      ['WEIGHTS', ...keys.map(() => float(random))],
      ['AGGREGATE', random.pick(['SUM', 'min', 'MAX', 'bad'])],
      ['LIMIT', index(random)],
    ]),
  )
  const target = stores ? [keyLike(random, 'zset')] : []
  return [stores ? `${name}STORE` : name, ...target, countOf(random, keys), ...keys, ...options]
}
