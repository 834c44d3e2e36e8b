/** Commands about connections, transactions and scripts. */
import type { Template } from './template.ts'
import { key, many, value } from './vocabulary.ts'

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
