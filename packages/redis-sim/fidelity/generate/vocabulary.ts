/**
 * The words of random commands. The keys are few, so that commands interact. The values include
 * every limit.
 */
import type { Random } from 'test-servers'

export const keys = [
  'a',
  'b',
  'c',
  'h1',
  'h2',
  'h3',
  's1',
  's2',
  'n1',
  'n2',
  'l1',
  'l2',
  'set1',
  'set2',
  'z1',
  'z2',
  'x1',
  'bits',
  'geo1',
  'geo2',
  '',
  'key with space',
  '\xd0\xba\x00\xff',
  '{t}:1',
]

const integers = [
  '0',
  '1',
  '-1',
  '2',
  '7',
  '10',
  '42',
  '100',
  '9999',
  '10000',
  '123456789012',
  '9223372036854775807',
  '-9223372036854775808',
  '9223372036854775806',
  '-9223372036854775807',
  '4611686018427387904',
  '9007199254740991',
  '9007199254740992',
  '9007199254740993',
  '-9007199254740993',
]
const notIntegers = [
  '',
  ' 1',
  '1 ',
  '+1',
  '01',
  '-0',
  '0x10',
  '1.0',
  '1e3',
  'abc',
  '9223372036854775808',
  '-9223372036854775809',
  '99999999999999999999999',
  '--1',
  '\x001',
  '1\x00',
]
const floats = [
  '0.1',
  '-0.5',
  '3.14159',
  '1e10',
  '1.5e-7',
  '.5',
  '5.',
  '1e400',
  '-1e17',
  '0.00000000000000001',
  '123456789.987654321',
  'inf',
  '-inf',
  '+inf',
  'infinity',
  'nan',
  '1e5000',
  '0x1p3',
  '1,5',
  '12345678901234567890',
  '1e-400',
  '-0.0',
  '4.9e-324',
  '1.7976931348623157e308',
]
const texts = [
  '',
  'x',
  'hello',
  'Hello World',
  '\r\n',
  '\x00\x01\xfe\xff',
  '12ab',
  'caf\xc3\xa9',
  '"quoted"',
  'a'.repeat(44),
  'b'.repeat(45),
  'c'.repeat(64),
  'd'.repeat(65),
  'e'.repeat(300),
]
export const fields = ['f1', 'f2', 'f3', '', 'count', 'price', '1', '\xff', 'long-'.repeat(13)]

export function key(random: Random): string {
  return random.pick(keys)
}

/** Usually a key with a value of this type, sometimes any key. */
export function keyLike(
  random: Random,
  kind: 'string' | 'hash' | 'number' | 'list' | 'set' | 'zset' | 'stream' | 'bits' | 'geo',
): string {
  const own = {
    string: ['a', 'b', 'c', 's1', 's2', ''],
    hash: ['h1', 'h2', 'h3'],
    number: ['n1', 'n2', 'a'],
    list: ['l1', 'l2', 'c'],
    set: ['set1', 'set2', 'b'],
    zset: ['z1', 'z2', 'c'],
    stream: ['x1', 'x2'],
    bits: ['bits', 'a'],
    geo: ['geo1', 'geo2', 'z1'],
  }
  return random.chance(88) ? random.pick(own[kind]) : key(random)
}

export function integer(random: Random): string {
  return random.chance(70) ? String(random.below(20) - 5) : random.pick(random.chance(60) ? integers : notIntegers)
}

export function float(random: Random): string {
  return random.chance(40)
    ? ((random.below(2000) - 1000) / 8).toString()
    : random.pick(random.chance(70) ? floats : random.chance(50) ? integers : notIntegers)
}

export function value(random: Random): string {
  return random.weighted<() => string>([
    [4, () => random.pick(texts)],
    [3, () => random.pick(integers)],
    [2, () => random.pick(floats)],
    [1, () => random.pick(notIntegers)],
    [3, () => `v${random.below(1000)}`],
  ])()
}

export function field(random: Random): string {
  return random.chance(90) ? random.pick(fields) : value(random)
}

export function many(random: Random, least: number, most: number, draw: () => string[]): string[] {
  return Array.from({ length: least + random.below(most - least + 1) }, draw).flat()
}

/** An index into short values; sometimes an extreme integer. */
export function index(random: Random): string {
  return random.chance(85) ? String(random.below(16) - 6) : integer(random)
}
