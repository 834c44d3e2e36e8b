/**
 * The prefix that marks a layer as an external program: `exec:python3 layer.py` instead of an id or
 * a path.
 */
const prefix = 'exec:'

export function isProgram(name: string): boolean {
  return name.startsWith(prefix)
}

/**
 * The program and its arguments, separated by blanks; single or double quotes group words. No shell
 * is involved. Null if a quote is not closed, or the text contains no program.
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
