/**
 * Splits an inline command into words, with the quotes and escapes of redis-cli and the inline
 * protocol. Null if quotes are unbalanced. Source: sdssplitargs of Redis 7.0.
 */
export function splitInline(line: string): string[] | null {
  const words: string[] = []
  let at = 0
  for (;;) {
    while (at < line.length && isBlank(line.charCodeAt(at))) at++
    if (at >= line.length || line[at] === '\0') return words
    let word = ''
    while (at < line.length && !isBlank(line.charCodeAt(at)) && line[at] !== '\0') {
      const quote = line[at]
      if (quote !== '"' && quote !== "'") {
        word += quote
        at++
        continue
      }
      const quoted = quote === '"' ? doubleQuoted(line, at + 1) : singleQuoted(line, at + 1)
      if (quoted === null) return null
      word += quoted.text
      at = quoted.end
      if (at < line.length && !isBlank(line.charCodeAt(at))) return null
    }
    words.push(word)
  }
}

const escapes: { readonly [letter: string]: string } = { n: '\n', r: '\r', t: '\t', b: '\b', a: '\x07' }

function doubleQuoted(line: string, at: number): { text: string; end: number } | null {
  let text = ''
  while (at < line.length && line[at] !== '"') {
    const hex = /^\\x([0-9a-f]{2})/i.exec(line.slice(at, at + 4))
    if (hex) {
      text += String.fromCharCode(Number.parseInt(hex[1]!, 16))
      at += 4
    } else if (line[at] === '\\' && at + 1 < line.length) {
      text += escapes[line[at + 1]!] ?? line[at + 1]!
      at += 2
    } else {
      text += line[at++]
    }
  }
  return at < line.length ? { text, end: at + 1 } : null
}

function singleQuoted(line: string, at: number): { text: string; end: number } | null {
  let text = ''
  while (at < line.length && line[at] !== "'") {
    if (line[at] === '\\' && line[at + 1] === "'") at++
    text += line[at++]
  }
  return at < line.length ? { text, end: at + 1 } : null
}

/** C's isspace. */
function isBlank(code: number): boolean {
  return code === 32 || (code >= 9 && code <= 13)
}
