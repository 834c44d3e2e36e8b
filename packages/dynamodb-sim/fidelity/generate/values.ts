import type { Random } from 'test-servers'
import type { AttributeValue, Item } from '../../src/values/attribute-value.ts'

/** The lists of words and numbers are short, so that generated values are often equal. */
const words = ['', 'a', 'ab', 'abc', 'b', 'IN_PROGRESS', 'COMPLETED', 'x'.repeat(40)]
const numbers = [
  '0',
  '-0',
  '1',
  '1.0',
  '-1',
  '2',
  '10',
  '1e2',
  '0.5',
  '-3.25',
  '.5',
  '12345678901234567890123456789012345678',
  '1e125',
  '1E-130',
  '17.50',
]
const wrongNumbers = ['', 'abc', '1e126', '1e-131', '123456789012345678901234567890123456789', '0x10', 'NaN', '--1']
const bytes = ['', 'AA==', 'AAE=', 'AAEC', '/w==', 'YWI=']

export const attributes = ['a', 'b', 'n', 's', 'm', 'l', 'status', 'ttl'] as const

export function value(random: Random, depth = 0): AttributeValue {
  const nested: readonly (readonly [number, () => AttributeValue])[] =
    depth > 1
      ? []
      : [
          [2, () => ({ L: many(random, 3, () => value(random, depth + 1)) })],
          [
            2,
            () => ({
              M: Object.fromEntries(many(random, 3, () => [random.pick(attributes), value(random, depth + 1)])),
            }),
          ],
        ]
  return random.weighted<() => AttributeValue>([
    [8, () => ({ S: random.pick(words) })],
    [8, () => ({ N: random.pick(numbers) })],
    [2, () => ({ B: random.pick(bytes) })],
    [1, () => ({ BOOL: random.chance(50) })],
    [1, () => ({ NULL: true })],
    [2, () => set(random)],
    ...nested,
  ])()
}

/** Generates a value, which is sometimes invalid. */
export function anyValue(random: Random): object {
  if (!random.chance(4)) return value(random)
  return random.pick<() => object>([
    () => ({}),
    () => ({ N: random.pick(wrongNumbers) }),
    () => ({ S: 'a', N: '1' }),
    () => ({ SS: [] }),
    () => ({ NS: [] }),
    () => ({ BS: [] }),
    () => ({ SS: ['a', 'a'] }),
    () => ({ NS: ['1', '1.0'] }),
    () => ({ BS: ['AA==', 'AA=='] }),
    () => ({ NULL: false }),
    () => ({ NS: ['1', random.pick(wrongNumbers)] }),
    () => ({ S: 5 }),
    () => ({ N: 5 }),
    () => ({ B: 'a' }),
    () => ({ L: {} }),
    () => ({ M: [] }),
    () => ({ BOOL: 'maybe' }),
  ])()
}

export function set(random: Random): AttributeValue {
  return random.pick<() => AttributeValue>([
    () => ({ SS: distinct(random, ['a', 'b', 'c', 'ab']) }),
    () => ({ NS: distinct(random, ['1', '2', '3', '0.5']) }),
    () => ({ BS: distinct(random, ['AA==', 'AAE=', 'YWI=']) }),
  ])()
}

function distinct(random: Random, from: readonly string[]): string[] {
  const some = from.filter(() => random.chance(50))
  return some.length === 0 ? [random.pick(from)] : some
}

export function many<T>(random: Random, most: number, make: () => T): T[] {
  return Array.from({ length: random.below(most + 1) }, make)
}

const partitions = ['k1', 'k2', 'k3']
const sorts = ['-10', '-1.5', '-1', '0', '0.25', '1', '2', '10', '100']

export interface TableShape {
  readonly name: string
  readonly hasSortKey: boolean
}

export function key(random: Random, { hasSortKey }: TableShape): Item {
  return { k: { S: random.pick(partitions) }, ...(hasSortKey && { r: { N: random.pick(sorts) } }) }
}

/** Generates a key, which sometimes does not match the table. */
export function anyKey(random: Random, table: TableShape): object {
  if (!random.chance(5)) return key(random, table)
  return random.pick<object>([
    {},
    { k: { N: '1' } },
    { k: { S: '' }, ...(table.hasSortKey && { r: { N: '1' } }) },
    { k: { S: 'k1' } },
    { k: { S: 'k1' }, r: { S: 'x' } },
    { k: { S: 'k1' }, r: { N: '1' }, z: { S: 'z' } },
    { z: { S: 'k1' } },
    { k: { S: 'y'.repeat(2049) }, ...(table.hasSortKey && { r: { N: '1' } }) },
  ])
}

export function anyItem(random: Random, table: TableShape): object {
  const rest = many(random, 5, () => [random.pick(attributes), anyValue(random)] as const)
  return { ...anyKey(random, table), ...Object.fromEntries(rest) }
}
