import { UnsupportedSql } from '../sql-error.ts'

/**
 * Matches patterns that have the same meaning in PostgreSQL and JavaScript: literals, classes,
 * groups, repeats and anchors.
 */
const common = /^(?:[^\\[\](){}*+?|^$]|\\[\\.*+?()[\]{}|^$dws/-]|\[\^?[\w\s.:@/-]+\]|[()*+?|^$]|\{\d+(?:,\d*)?\})*$/

export function regex(text: string, pattern: string, insensitive: boolean): boolean {
  if (!common.test(pattern) || pattern.includes('(?')) throw new UnsupportedSql(`the regular expression ${pattern}`)
  return new RegExp(pattern, insensitive ? 'is' : 's').test(text)
}
