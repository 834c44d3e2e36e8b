/** DUMP, and RESTORE of dumps that are intact or damaged. */

import type { Random } from 'test-servers'
import { defaultConfig } from '../../src/config.ts'
import { dump } from '../../src/dump/save-value.ts'
import { HashEntry, ListEntry, SetEntry, SortedSetEntry, StringEntry } from '../../src/keyspace/entry.ts'
import type { Template } from './template.ts'
import { key, many } from './vocabulary.ts'

function samples(): string[] {
  const list = new ListEntry()
  list.items = ['a', '12', '-7000', 'x'.repeat(70)]
  const hash = new HashEntry()
  for (const [field, value] of [
    ['f', '1'],
    ['g', 'text'],
  ] as const)
    hash.fields.set(field, value)
  const numbers = new SetEntry()
  for (const member of ['1', '2', '70000']) numbers.members.add(member)
  const words = new SetEntry()
  words.members.add('word')
  words.integers = false
  const scores = new SortedSetEntry()
  for (const [member, score] of [
    ['a', 1],
    ['b', 2.5],
    ['c', Number.POSITIVE_INFINITY],
  ] as const)
    scores.scores.set(member, score)
  const entries = [new StringEntry('text'), new StringEntry('12345'), new StringEntry('ab'.repeat(40)), list, hash]
  return [...entries, numbers, words, scores].map((entry) => dump(entry, defaultConfig.listMaxListpackSize))
}

const payloads = samples()

function payload(random: Random): string {
  const whole = random.pick(payloads)
  if (random.chance(85)) return whole
  const at = random.below(whole.length)
  return whole.slice(0, at) + String.fromCharCode(random.below(256)) + whole.slice(at + 1)
}

const options = [
  ['REPLACE'],
  ['replace'],
  ['ABSTTL'],
  ['IDLETIME', '10'],
  ['FREQ', '3'],
  ['IDLETIME', '-1'],
  ['FREQ', '256'],
  ['bad'],
]

/**
 * TTL arguments of RESTORE. The absolute time 1 is long past. A relative TTL of 1 is excluded,
 * because it would expire at different moments on the two servers.
 */
const timesToLive = [['0'], ['0'], ['0'], ['100000'], ['1', 'ABSTTL'], ['-1'], ['x'], ['9223372036854775807']] as const

export const dumpTemplates: readonly Template[] = [
  [6, (r) => ['DUMP', key(r)]],
  [
    3,
    (r) => {
      const [ttl, ...absolute] = r.pick(timesToLive)
      return [
        ...['RESTORE', key(r), ttl, payload(r), ...absolute],
        ...(r.chance(50) ? ['REPLACE'] : []),
        ...(r.chance(30) ? many(r, 1, 2, () => r.pick(options)) : []),
      ]
    },
  ],
]
