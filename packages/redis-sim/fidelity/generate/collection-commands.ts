/** Commands on hashes, lists and sets. */
import type { Random } from 'test-servers'
import type { Template } from './template.ts'
import { field, float, index, integer, keyLike, many, value } from './vocabulary.ts'

export const hashTemplates: readonly Template[] = [
  [
    10,
    (r) => ['HSET', keyLike(r, 'hash'), ...many(r, 1, 4, () => [field(r), value(r)]), ...(r.chance(5) ? ['odd'] : [])],
  ],
  [
    2,
    (r) => ['HMSET', keyLike(r, 'hash'), ...many(r, 1, 3, () => [field(r), value(r)]), ...(r.chance(5) ? ['odd'] : [])],
  ],
  [3, (r) => ['HSETNX', keyLike(r, 'hash'), field(r), value(r)]],
  [5, (r) => ['HGET', keyLike(r, 'hash'), field(r)]],
  [4, (r) => ['HMGET', keyLike(r, 'hash'), ...many(r, 1, 4, () => [field(r)])]],
  [4, (r) => ['HDEL', keyLike(r, 'hash'), ...many(r, 1, 3, () => [field(r)])]],
  [6, (r) => [r.pick(['HGETALL', 'HKEYS', 'HVALS', 'HLEN']), keyLike(r, 'hash')]],
  [4, (r) => [r.pick(['HEXISTS', 'HSTRLEN']), keyLike(r, 'hash'), field(r)]],
  [5, (r) => ['HINCRBY', keyLike(r, 'hash'), r.chance(60) ? 'count' : field(r), integer(r)]],
  [5, (r) => ['HINCRBYFLOAT', keyLike(r, 'hash'), r.chance(60) ? 'price' : field(r), float(r)]],
  [
    3,
    (r) => [
      'HRANDFIELD',
      keyLike(r, 'hash'),
      ...(r.chance(80)
        ? [r.pick(['1', '2', '100', '0', '-3', 'x', '-9223372036854775808', '9223372036854775807'])]
        : []),
      ...(r.chance(30) ? [r.pick(['WITHVALUES', 'bad'])] : []),
    ],
  ],
  [
    3,
    (r) => [
      'HSCAN',
      keyLike(r, 'hash'),
      r.pick(['0', '0', '7', 'x']),
      ...(r.chance(40) ? ['MATCH', r.pick(['f*', '*', '[cp]*'])] : []),
      ...(r.chance(30) ? ['COUNT', r.pick(['100', '0', 'x'])] : []),
    ],
  ],
]

export const listTemplates: readonly Template[] = [
  [8, (r) => [r.pick(['LPUSH', 'RPUSH', 'LPUSHX', 'RPUSHX']), keyLike(r, 'list'), ...many(r, 1, 4, () => [value(r)])]],
  [4, (r) => [r.pick(['LPOP', 'RPOP']), keyLike(r, 'list'), ...(r.chance(50) ? [index(r)] : [])]],
  [4, (r) => ['LRANGE', keyLike(r, 'list'), index(r), index(r)]],
  [2, (r) => ['LTRIM', keyLike(r, 'list'), index(r), index(r)]],
  [2, (r) => ['LREM', keyLike(r, 'list'), index(r), value(r)]],
  [2, (r) => ['LINDEX', keyLike(r, 'list'), index(r)]],
  [2, (r) => ['LSET', keyLike(r, 'list'), index(r), value(r)]],
  [2, (r) => ['LINSERT', keyLike(r, 'list'), r.pick(['BEFORE', 'after', 'bad']), value(r), value(r)]],
  [2, (r) => ['LLEN', keyLike(r, 'list')]],
  [
    3,
    (r) => [
      'LPOS',
      keyLike(r, 'list'),
      value(r),
      ...many(r, 0, 2, () => [r.pick(['RANK', 'COUNT', 'MAXLEN', 'bad']), r.pick(['1', '-1', '0', '2', '-3', 'x'])]),
    ],
  ],
  [
    4,
    (r) => {
      const name = r.pick(['LMOVE', 'BLMOVE'])
      const ends = [r.pick(['LEFT', 'right', 'bad']), r.pick(['LEFT', 'RIGHT'])]
      return [name, keyLike(r, 'list'), keyLike(r, 'list'), ...ends, ...(name === 'BLMOVE' ? [timeout(r)] : [])]
    },
  ],
  [2, (r) => ['RPOPLPUSH', keyLike(r, 'list'), keyLike(r, 'list')]],
  [1, (r) => ['BRPOPLPUSH', keyLike(r, 'list'), keyLike(r, 'list'), timeout(r)]],
  [2, (r) => [r.pick(['BLPOP', 'BRPOP']), ...many(r, 1, 3, () => [keyLike(r, 'list')]), timeout(r)]],
  [
    3,
    (r) => {
      const keys = many(r, 1, 3, () => [keyLike(r, 'list')])
      const words = [countOf(r, keys), ...keys, r.pick(['LEFT', 'RIGHT', 'bad'])]
      const count = r.chance(40) ? ['COUNT', index(r)] : []
      return r.chance(60) ? ['LMPOP', ...words, ...count] : ['BLMPOP', timeout(r), ...words, ...count]
    },
  ],
]

/** The number of keys, or an invalid number. */
export function countOf(random: Random, keys: readonly string[]): string {
  return random.chance(90) ? String(keys.length) : random.pick(['0', '-1', 'x', '9', '1'])
}

/**
 * A short or invalid timeout. Real Redis checks timeouts every tenth of a second. A timeout of 0 is
 * excluded, because it never elapses.
 */
export function timeout(random: Random): string {
  return random.pick(['0.001', '0.001', '0.001', '-1', 'x', 'inf', '1e400', ''])
}

export const setTemplates: readonly Template[] = [
  [8, (r) => ['SADD', keyLike(r, 'set'), ...many(r, 1, 5, () => [r.chance(60) ? integer(r) : value(r)])]],
  [4, (r) => ['SREM', keyLike(r, 'set'), ...many(r, 1, 3, () => [integer(r)])]],
  [3, (r) => ['SMOVE', keyLike(r, 'set'), keyLike(r, 'set'), integer(r)]],
  [4, (r) => [r.pick(['SISMEMBER', 'SMISMEMBER']), keyLike(r, 'set'), integer(r)]],
  [4, (r) => [r.pick(['SMEMBERS', 'SCARD']), keyLike(r, 'set')]],
  [2, (r) => ['SPOP', keyLike(r, 'set'), r.pick(['100', '0', '-1', 'x'])]],
  [2, (r) => ['SRANDMEMBER', keyLike(r, 'set'), ...(r.chance(70) ? [r.pick(['2', '100', '0', '-3', 'x'])] : [])]],
  [
    6,
    (r) => [
      r.pick(['SINTER', 'SUNION', 'SDIFF', 'SINTERSTORE', 'SUNIONSTORE', 'SDIFFSTORE']),
      ...many(r, 1, 4, () => [keyLike(r, 'set')]),
    ],
  ],
  [
    2,
    (r) => {
      const keys = many(r, 1, 3, () => [keyLike(r, 'set')])
      return ['SINTERCARD', countOf(r, keys), ...keys, ...(r.chance(40) ? ['LIMIT', index(r)] : [])]
    },
  ],
  [2, (r) => ['SSCAN', keyLike(r, 'set'), r.pick(['0', 'x']), ...(r.chance(40) ? ['MATCH', '*1*'] : [])]],
]
