/** One random command of each kind that is simulated, with arguments sane and hostile. */
import type { Random } from '../random.ts'
import { field, fields, float, index, integer, key, keyLike, many, value } from './vocabulary.ts'

type Template = readonly [weight: number, draw: (random: Random) => string[]]

/** Deadlines that no run comes near, long past, or impossible: nothing that a slow machine could decide. */
const seconds = [
  '100',
  '5000',
  '86400',
  '0',
  '-1',
  '-100',
  '9223372036854775',
  '9223372036854776',
  '9223372036854775807',
  '-9223372036854775808',
  'x',
  '1.5',
  '',
]
const milliseconds = [
  '100000',
  '5000000',
  '0',
  '-1',
  '9223372036854775807',
  '9223370336854775807',
  '-9223372036854775808',
  'x',
  '',
]
const secondsAt = [
  '1',
  '1000',
  '9999999999',
  '0',
  '-1',
  '9223372036854775',
  '9223372036854776',
  '9223372036854775807',
  'x',
]
const millisecondsAt = ['1', '1000', '9999999999999', '0', '-5', '9223372036854775807', '-9223372036854775808', 'x']
const deadlines: { readonly [unit: string]: readonly string[] } = {
  EX: seconds,
  PX: milliseconds,
  EXAT: secondsAt,
  PXAT: millisecondsAt,
}

function timeOption(random: Random): string[] {
  const unit = random.pick(['EX', 'PX', 'EXAT', 'PXAT'])
  return random.chance(95) ? [unit, random.pick(deadlines[unit]!)] : [unit]
}

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
]

function expireConditions(random: Random): string[] {
  return many(random, 0, 2, () => [random.pick(['NX', 'XX', 'GT', 'LT', 'nx', 'gt', 'bad'])])
}

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
  [1, () => ['RANDOMKEY']],
  [2, () => ['DBSIZE']],
  [4, (r) => ['OBJECT', r.pick(['ENCODING', 'encoding', 'REFCOUNT', 'FREQ', 'IDLETIME']), key(r)]],
  [1, (r) => [r.pick(['FLUSHDB', 'FLUSHALL']), ...(r.chance(40) ? [r.pick(['ASYNC', 'sync', 'bad'])] : [])]],
  [2, (r) => ['SELECT', r.pick(['0', '0', '0', '1', '15', '16', '-1', 'x', '', '4294967296'])]],
  [1, (r) => ['SWAPDB', r.pick(['0', '1', 'x', '16']), r.pick(['0', '1', 'y', '-1'])]],
]

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
]

export const setTemplates: readonly Template[] = [
  [8, (r) => ['SADD', keyLike(r, 'set'), ...many(r, 1, 5, () => [r.chance(60) ? integer(r) : value(r)])]],
  [4, (r) => ['SREM', keyLike(r, 'set'), ...many(r, 1, 3, () => [integer(r)])]],
  [3, (r) => ['SMOVE', keyLike(r, 'set'), keyLike(r, 'set'), integer(r)]],
  [4, (r) => [r.pick(['SISMEMBER', 'SMISMEMBER']), keyLike(r, 'set'), integer(r)]],
  [4, (r) => [r.pick(['SMEMBERS', 'SCARD']), keyLike(r, 'set')]],
  [2, (r) => ['SPOP', keyLike(r, 'set'), r.pick(['100', '0', '-1', 'x'])]],
  [2, (r) => ['SRANDMEMBER', keyLike(r, 'set'), ...(r.chance(70) ? [r.pick(['2', '100', '0', '-3', 'x'])] : [])]],
  [2, (r) => ['SSCAN', keyLike(r, 'set'), r.pick(['0', 'x']), ...(r.chance(40) ? ['MATCH', '*1*'] : [])]],
]

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

export const connectionTemplates: readonly Template[] = [
  [2, (r) => ['PING', ...many(r, 0, 2, () => [value(r)])]],
  [1, (r) => ['ECHO', value(r)]],
  [
    2,
    (r) => [
      'HELLO',
      ...(r.chance(80) ? [r.pick(['2', '3', '3', '4', 'x'])] : []),
      ...(r.chance(30)
        ? r.pick([
            ['SETNAME', 'me'],
            ['SETNAME', 'a b'],
            ['AUTH', 'default', 'x'],
            ['AUTH', 'nobody', 'x'],
            ['bad'],
            ['AUTH', 'x'],
          ])
        : []),
    ],
  ],
  [
    2,
    (r) => [
      'CLIENT',
      r.pick(['GETNAME', 'ID', 'SETNAME', 'SETINFO', 'nope', 'GETREDIR', 'REPLY', 'NO-EVICT', 'INFO']),
      ...many(r, 0, 2, () => [r.pick(['me', 'a b', 'on', 'bad'])]),
    ],
  ],
  [1, (r) => ['AUTH', ...many(r, 1, 3, () => [r.pick(['default', 'secret'])])]],
  [1, () => ['RESET']],
  [1, () => ['TIME']],
  [1, (r) => ['WAIT', r.pick(['0', '-1', 'x']), r.pick(['0', '10', '-1', 'x'])]],
  [
    1,
    (r) => [
      'CONFIG',
      r.pick(['GET', 'get']),
      r.pick(['maxmemory', 'hash-max-listpack-entries', 'nope', 'Databases', 'maxmemory-policy']),
    ],
  ],
  [1, () => ['ROLE']],
  [1, () => ['ACL', 'WHOAMI']],
  [1, () => ['LASTSAVE']],
  [
    2,
    (r) => [r.pick(['foo', 'GETT', 'hgetal', '', 'foo\r\nbar', 'x'.repeat(200)]), ...many(r, 0, 4, () => [value(r)])],
  ],
  [
    1,
    (r) =>
      [
        r.pick(['CONFIG', 'SCRIPT', 'OBJECT', 'CLIENT', 'COMMAND']),
        ...many(r, 0, 2, () => [r.pick(['nope', 'GET', ''])]),
      ].slice(0, r.chance(30) ? 1 : 3),
  ],
]

export const transactionTemplates: readonly Template[] = [
  [10, () => ['MULTI']],
  [12, () => ['EXEC']],
  [2, () => ['DISCARD']],
  [6, (r) => ['WATCH', ...many(r, 1, 3, () => [key(r)])]],
  [2, () => ['UNWATCH']],
]

const scripts = [
  "return redis.call('GET', KEYS[1])",
  'return {KEYS[1], ARGV[1], #KEYS, #ARGV}',
  "return redis.call('SET', KEYS[1], ARGV[1])",
  "return redis.call('INCR', KEYS[1])",
  "return redis.pcall('HSET', KEYS[1], ARGV[1])",
  'return redis.error_reply("MINE error")',
  'return {1, 2.9, "x", false, true, nil, 7}',
  'syntax error here',
  "redis.call('SET', KEYS[1], 'x') redis.call('HGET', KEYS[1], 'f')",
]

export const scriptTemplates: readonly Template[] = [
  [
    6,
    (r) => [
      r.pick(['EVAL', 'EVAL', 'EVAL_RO']),
      r.pick(scripts),
      r.pick(['1', '1', '1', '1', '0', '2', '-1', 'x', '9']),
      key(r),
      value(r),
    ],
  ],
  [2, (r) => ['EVALSHA', r.pick(['e0e1f9fabfc9d4800c877a703b823ac0578ff8db', 'x', 'F'.repeat(40)]), '0']],
  [2, (r) => ['SCRIPT', r.pick(['LOAD', 'load']), r.pick(scripts)]],
  [1, (r) => ['SCRIPT', 'EXISTS', ...many(r, 1, 2, () => [r.pick(['e0e1f9fabfc9d4800c877a703b823ac0578ff8db', 'x'])])]],
  [1, (r) => ['SCRIPT', ...r.pick([['FLUSH'], ['FLUSH', 'SYNC'], ['FLUSH', 'bad'], ['KILL'], ['nope'], []])]],
]

/** Any word of a command dropped, doubled, or put in another case. */
export function disturb(random: Random, args: readonly string[]): string[] {
  const at = random.below(args.length)
  switch (random.below(4)) {
    case 0:
      return args.length > 1 ? args.filter((_, index) => index !== at) : [...args]
    case 1:
      return [...args.slice(0, at + 1), random.pick(fields), ...args.slice(at + 1)]
    case 2:
      return [...args, random.pick(args)]
    default:
      return [random.chance(50) ? args[0]!.toLowerCase() : args[0]!, ...args.slice(1)]
  }
}
