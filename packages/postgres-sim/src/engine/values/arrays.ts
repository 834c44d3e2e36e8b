import { SqlError } from '../sql-error.ts'
import type { Type } from './types.ts'
import type { Value } from './value.ts'

export function readArray(given: string, element: Type, now: number): Value {
  const malformed = (detail: string) => new SqlError('22P02', `malformed array literal: "${given}"`, { detail })
  const inner = /^\s*\{([\s\S]*)\}\s*$/.exec(given)?.[1]
  if (inner === undefined) throw malformed('Array value must start with "{" or dimension information.')
  if (inner.trim() === '') return []
  const items: Value[] = []
  const pattern = /\s*(?:"((?:[^"\\]|\\[\s\S])*)"|((?:[^",{}\\]|\\[\s\S])*))\s*(,|$)/y
  for (;;) {
    const found = pattern.exec(inner)
    if (!found) throw malformed('Unexpected array element.')
    const plain = found[2]?.trim()
    const unescaped = (found[1] ?? plain ?? '').replace(/\\([\s\S])/g, '$1')
    items.push(found[1] === undefined && plain!.toUpperCase() === 'NULL' ? null : element.read(unescaped, now))
    if (found[3] === '') return items
  }
}

export function writeArray(items: readonly Value[], element: Type): string {
  const words = items.map((item) => {
    if (item === null) return 'NULL'
    const word = element.write(item)
    return word === '' || /[\s",{}\\]/.test(word) || word.toUpperCase() === 'NULL'
      ? `"${word.replace(/["\\]/g, '\\$&')}"`
      : word
  })
  return `{${words.join(',')}}`
}

export function compareArrays(a: readonly Value[], b: readonly Value[], element: Type): number {
  for (let i = 0; i < Math.min(a.length, b.length); i++) {
    const [left, right] = [a[i]!, b[i]!]
    if (left === null || right === null) {
      if (left !== right) return left === null ? 1 : -1
    } else {
      const result = element.compare(left, right)
      if (result !== 0) return result
    }
  }
  return a.length - b.length
}
