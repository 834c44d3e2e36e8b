import type { Backend } from '../backend.ts'
import { partsOf, qualified } from '../catalog/relations.ts'

/** Maximum length of a name in bytes (NAMEDATALEN - 1). */
const most = 63

/**
 * Same as makeObjectName() of PostgreSQL: shortens the longer of the first two words until the name
 * fits.
 */
function objectName(first: string, second: string | null, label: string): string {
  const words = [first, ...(second === null ? [] : [second])].map((word) => Buffer.from(word))
  const lengths = words.map(({ length }) => length)
  const spare = most - Buffer.byteLength(label) - words.length
  while (lengths.reduce((sum, one) => sum + one, 0) > spare) {
    const longest = lengths.length === 2 && lengths[1]! >= lengths[0]! ? 1 : 0
    lengths[longest]!--
  }
  return [...words.map((word, at) => cut(word, lengths[at]!)), label].join('_')
}

/** Shortens a word to at most `length` bytes without splitting a character. */
function cut(word: Buffer, length: number): string {
  let end = length
  while (end < word.length && (word[end]! & 0xc0) === 0x80) end--
  return word.toString('utf8', 0, end)
}

/**
 * The default name of an unnamed object: the first of `…label`, `…label1`, `…label2` that is free.
 * `table` and the returned name are catalog keys.
 */
export function freeName(
  backend: Backend,
  table: string,
  second: string | null,
  label: string,
  taken: readonly string[] = [],
): string {
  const { schema, name } = partsOf(table)
  const isFree = (one: string) =>
    !backend.database.catalog.find(backend, qualified(schema, one)) && !taken.includes(one)
  for (let i = 0; ; i++) {
    const candidate = objectName(name, second, i === 0 ? label : `${label}${i}`)
    if (isFree(candidate)) return qualified(schema, candidate)
  }
}
