import { UnsupportedSql } from '../sql-error.ts'

/**
 * Patterns that mean in PostgreSQL what they mean in JavaScript: literals, classes, groups,
 * repeats, anchors.
 */
const common = /^(?:[^\\[\](){}*+?|^$]|\\[\\.*+?()[\]{}|^$dws/-]|\[\^?[\w\s.:@/-]+\]|[()*+?|^$]|\{\d+(?:,\d*)?\})*$/

export function regex(text: string, pattern: string, insensitive: boolean): boolean {
  if (!common.test(pattern) || pattern.includes('(?')) throw new UnsupportedSql(`the regular expression ${pattern}`)
  return new RegExp(pattern, insensitive ? 'is' : 's').test(text)
}
