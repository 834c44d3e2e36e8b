/** A layer that is a program: `exec:python3 layer.py` in place of an id or a path. */
const prefix = 'exec:'

export function isProgram(name: string): boolean {
  return name.startsWith(prefix)
}

/**
 * The program and its arguments: words apart by blanks, held together by single or double quotes.
 * No shell reads them. Null where a quote is open, or nothing is named.
 */
export function programWords(name: string): readonly string[] | null {
  const words: string[] = []
  const command = name.slice(prefix.length).trim()
  const word = /\s*((?:[^\s'"]|'[^']*'|"[^"]*")+)/y
  while (word.lastIndex < command.length) {
    const found = word.exec(command)
    if (found === null) return null
    words.push(found[1]!.replaceAll(/'([^']*)'|"([^"]*)"/g, '$1$2'))
  }
  return words.length === 0 || words[0] === '' ? null : words
}
