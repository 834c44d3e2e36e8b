import { SqlError } from '../sql-error.ts'

const compiled = new Map<string, RegExp>()

/**
 * LIKE: % matches any characters, _ matches one character, a backslash escapes the next character.
 */
export function like(text: string, pattern: string, insensitive: boolean): boolean {
  const name = `${insensitive}${pattern}`
  let expression = compiled.get(name)
  if (!expression) {
    if (compiled.size > 1000) compiled.clear()
    compiled.set(name, (expression = new RegExp(`^${translate(pattern)}$`, insensitive ? 'isu' : 'su')))
  }
  return expression.test(text)
}

function translate(pattern: string): string {
  let source = ''
  for (let i = 0; i < pattern.length; i++) {
    let one = pattern[i]!
    if (one === '%') source += '.*'
    else if (one === '_') source += '.'
    else {
      if (one === '\\') {
        one = pattern[++i]!
        if (one === undefined) throw new SqlError('22025', 'LIKE pattern must not end with escape character')
      }
      source += one.replace(/[\\^$.*+?()[\]{}|/-]/u, '\\$&')
    }
  }
  return source
}
