/**
 * Stories about DUMP and RESTORE: the bytes of every encoding, including compressed strings and the
 * formats of older versions of Redis.
 */
import { types } from '../../src/dump/rdb-types.ts'
import { writeString } from '../../src/dump/rdb-values.ts'
import { sealed } from '../../src/dump/save-value.ts'
import { command, type Sequence, type Step } from '../step.ts'
import { run, story } from './story.ts'

/** Texts that compress well, badly or not at all, with matches at every distance. */
function texts(): string[] {
  let state = 7
  const next = () => (state = (Math.imul(state, 48271) >>> 0) % 0x7fffffff)
  const drawn = (letters: number, length: number) =>
    Array.from({ length }, () => String.fromCharCode(next() % letters)).join('')
  const words = Array.from({ length: 40 }, () => drawn(26, 3 + (next() % 6)))
  const phrase = (length: number) => Array.from({ length }, () => words[next() % words.length]).join(' ')
  return [
    ...[19, 20, 21, 22, 25, 32, 33, 64, 264, 265, 300, 600, 5000].map((length) => 'a'.repeat(length)),
    ...[21, 40, 100, 1000].map((length) => 'ab'.repeat(length)),
    ...[2, 3, 4, 8].flatMap((letters) => [21, 30, 50, 100, 300, 3000].map((length) => drawn(letters, length))),
    ...[10, 100, 1000, 4000].map(phrase),
    drawn(256, 100),
    drawn(256, 10_000) + drawn(256, 100),
    `${drawn(256, 50)}${'x'.repeat(9000)}${drawn(256, 50)}`,
  ]
}

const numbers = ['0', '-1', '127', '128', '-128', '-129', '32767', '32768', '-32769', '2147483647', '2147483648']
const moreNumbers = [
  '-2147483648',
  '-2147483649',
  '12345678901',
  '123456789012',
  '9223372036854775807',
  '01',
  '+1',
  '-0',
]

function dumped(key: string, ...steps: Step[]): Step[] {
  return [...steps, run(`DUMP ${key}`), run(`DEL ${key}`)]
}

const wide = Array.from({ length: 3000 }, (_, at) => `item ${at}`)
const elements = [
  ...numbers,
  ...moreNumbers,
  '4095',
  '4096',
  '-4096',
  '-4097',
  '8388607',
  '8388608',
  '',
  'x'.repeat(63),
]
const long = [...elements, 'x'.repeat(64), 'y'.repeat(130), 'z'.repeat(4095), 'z'.repeat(4096)]

const library = "#!lua name=mine\nredis.register_function('f', function() return 1 end)"
const functions = sealed(types.function2 + writeString(library))
const text = sealed(types.string + writeString('text'))

export const dumps: readonly Sequence[] = [
  story(
    'FUNCTION DUMP and RESTORE',
    1,
    run('FUNCTION DUMP'),
    command(0, 'FUNCTION', 'LOAD', library),
    run('FUNCTION DUMP'),
    command(0, 'FUNCTION', 'RESTORE', functions),
    command(0, 'FUNCTION', 'RESTORE', functions, 'nope'),
    command(0, 'FUNCTION', 'RESTORE', functions, 'REPLACE'),
    command(0, 'FUNCTION', 'RESTORE', functions, 'FLUSH'),
    command(0, 'FUNCTION', 'RESTORE', text),
    command(0, 'FUNCTION', 'RESTORE', functions.slice(1)),
    run('FUNCTION LIST'),
    run('FCALL f 0'),
    command(0, 'RESTORE-ASKING', 'k', '0', text),
    command(0, 'RESTORE-ASKING', 'k', '0', text),
    run('GET k'),
  ),
  story(
    'DUMP: strings',
    1,
    run('DUMP none'),
    ...[...numbers, ...moreNumbers, '', 'x', ...texts()].flatMap((text) => dumped('k', command(0, 'SET', 'k', text))),
    ...dumped('k', run('SET k 10'), run('INCR k')),
    ...dumped('k', run('SET k 10'), run('APPEND k 5')),
    ...dumped('k', run('SET k 10'), run('INCRBYFLOAT k 0.5')),
  ),
  story(
    'DUMP: collections',
    1,
    ...dumped('k', command(0, 'RPUSH', 'k', ...long)),
    ...dumped('k', command(0, 'LPUSH', 'k', ...elements)),
    ...dumped('k', command(0, 'RPUSH', 'k', ...wide)),
    run('CONFIG SET list-max-listpack-size 5'),
    ...dumped('k', command(0, 'RPUSH', 'k', ...elements)),
    run('CONFIG SET list-max-listpack-size -1'),
    ...dumped('k', command(0, 'RPUSH', 'k', ...wide, ...long)),
    run('CONFIG SET list-max-listpack-size -2'),
    ...dumped('k', command(0, 'HSET', 'k', ...elements.flatMap((text, at) => [`field ${at}`, text]))),
    ...dumped('k', command(0, 'HSET', 'k', 'f', 'x'.repeat(65))),
    ...dumped('k', command(0, 'SADD', 'k', '5', '1', '-3')),
    ...dumped('k', command(0, 'SADD', 'k', '5', '1', '-30000000')),
    ...dumped('k', command(0, 'SADD', 'k', '5', '1', '-300000000000')),
    ...dumped('k', command(0, 'SADD', 'k', 'only')),
    ...dumped('k', command(0, 'SADD', 'k', ...elements)),
    ...dumped('k', command(0, 'ZADD', 'k', '1', 'a', '-2', 'b', '2.5', 'c', '1e300', 'd', 'inf', 'e', '-inf', 'f')),
    ...dumped(
      'k',
      command(0, 'ZADD', 'k', '-0', 'a', '3e15', 'b', '0.1', 'c', '12345678901234567890', 'd', '1e18', 'e'),
    ),
    ...dumped('k', command(0, 'ZADD', 'k', '1', 'x'.repeat(65), '2', 'b', '-0.5', 'c', 'inf', 'd')),
    ...dumped('k', command(0, 'ZADD', 'k', ...wide.flatMap((text, at) => [String(at % 7), text]))),
  ),
  story(
    'DUMP: streams',
    1,
    ...dumped('k', run('XADD k 1-1 a 1 b 2'), run('XADD k 1-2 a 3 b 4'), run('XADD k 5-0 c 5'), run('XADD k 7-9 a 1')),
    ...dumped('k', run('XGROUP CREATE k g 0 MKSTREAM'), run('XGROUP CREATE k h 5-5 ENTRIESREAD 3')),
    ...dumped('k', ...Array.from({ length: 250 }, (_, at) => run(`XADD k ${at + 1}-1 field value${at % 5}`))),
    run('XADD k 18446744073709551615-5 a b'),
    run('DUMP k'),
  ),
  story(
    'RESTORE',
    2,
    ...[
      'RESTORE k 0 x',
      'RESTORE k 0 0123456789',
      'RESTORE k x 0123456789',
      'RESTORE k -1 0123456789',
      'RESTORE k 0 0123456789 bad',
      'RESTORE k 0 0123456789 IDLETIME',
      'RESTORE k 0 0123456789 IDLETIME -1',
      'RESTORE k 0 0123456789 IDLETIME 1 FREQ 1',
      'RESTORE k 0 0123456789 FREQ 256',
      'RESTORE k 0',
    ].map((text) => run(text)),
    run('SET k there'),
    run('RESTORE k x 0123456789'),
    run('TTL k'),
    run('OBJECT ENCODING k'),
  ),
]
