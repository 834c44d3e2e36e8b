/** Commands on bits of strings. */
import type { Random } from 'test-servers'
import type { Template } from './template.ts'
import { index, integer, keyLike, many } from './vocabulary.ts'

/** An offset that may extend a string, but never to half a gigabyte. */
function offset(random: Random): string {
  return random.chance(85) ? String(random.below(200)) : random.pick(['-1', 'x', '4294967296', '99999999999', '#3', ''])
}

function operation(random: Random): string[] {
  const type = random.pick(['u8', 'i8', 'u1', 'i5', 'u63', 'i64', 'i16', 'u64', 'i65', 'x8', 'u0', 'u'])
  return random.pick([
    ['GET', type, random.chance(70) ? offset(random) : `#${random.below(9)}`],
    ['SET', type, offset(random), integer(random)],
    ['INCRBY', type, offset(random), integer(random)],
    ['OVERFLOW', random.pick(['WRAP', 'sat', 'FAIL', 'bad'])],
    ['bad'],
  ])
}

const range = (random: Random) => [index(random), index(random)]

export const bitTemplates: readonly Template[] = [
  [4, (r) => ['SETBIT', keyLike(r, 'bits'), offset(r), r.pick(['0', '1', '1', '2', 'x'])]],
  [3, (r) => ['GETBIT', keyLike(r, 'bits'), offset(r)]],
  [
    3,
    (r) => [
      'BITCOUNT',
      keyLike(r, 'bits'),
      ...(r.chance(70) ? range(r) : []),
      ...(r.chance(30) ? [r.pick(['BIT', 'byte', 'bad'])] : []),
    ],
  ],
  [
    3,
    (r) => [
      'BITPOS',
      keyLike(r, 'bits'),
      r.pick(['0', '1', '2', 'x']),
      ...(r.chance(60) ? range(r).slice(r.below(2)) : []),
      ...(r.chance(30) ? [r.pick(['BIT', 'BYTE', 'bad'])] : []),
    ],
  ],
  [
    3,
    (r) => [
      'BITOP',
      r.pick(['AND', 'or', 'XOR', 'NOT', 'bad']),
      keyLike(r, 'bits'),
      ...many(r, 1, 3, () => [keyLike(r, 'string')]),
    ],
  ],
  [
    3,
    (r) => [r.pick(['BITFIELD', 'BITFIELD', 'BITFIELD_RO']), keyLike(r, 'bits'), ...many(r, 0, 4, () => operation(r))],
  ],
]
