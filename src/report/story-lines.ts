import picocolors from 'picocolors'

const isTimed = (line: string): boolean => /^ *[\d.]+ ms {2}/.test(line)
const isAboutFault = (line: string): boolean => /^ *[\d.]+ ms {2}(fault|healed): /.test(line)

const margin = '    '

/** The user's line, which stands at the end of what was sent, and how often more it was so. */
const ends = [
  / \([^\s()]+:\d+\)(?:; (?:once|\d+ times) more the same, .*)?$/,
  /; (?:(?:once|\d+ times) more the same, |\d+ more attempts? ).*$/,
]

/**
 * Cut off at its end, or in front of the user's line and of how often it was so, where that leaves
 * room for the rest.
 */
function cut(line: string, room: number): string {
  const kept = ends.map((end) => end.exec(line)?.[0] ?? '').find((end) => end !== '' && end.length * 2 <= room) ?? ''
  return `${line.slice(0, room - 1 - kept.length)}…${kept}`
}

/** A reply is never cut off: a later step may depend on it. */
const reply = /^( *[\d.]+ ms {2})(.* executes .* for [^\s:]+: )(.*)$/

/**
 * In as many rows as the reply needs. First the folder of the user's line is left out, and then its
 * file. A command that is longer than a row is cut off, and its reply begins the next row. Null for
 * a step without a reply.
 */
function folded(long: string, room: number): string | null {
  const named = long.replace(/ \([^\s()]*\/([^\s()/]+:\d+)\)/g, ' (…/$1)')
  const line = named.length <= room ? named : named.replace(/ \(…\/[^\s()]+(:\d+)\)/g, ' ($1)')
  const [, time, command, answer] = reply.exec(line) ?? []
  if (time === undefined || command === undefined || answer === undefined) return null
  if (line.length <= room) return line
  const inset = `${' '.repeat(time.length)}  `
  const isLong = time.length + command.length > room
  const rows = isLong ? [cut(`${time}${command}`.trimEnd(), room)] : []
  let row = isLong ? inset.slice(1) : `${time}${command}`.trimEnd()
  for (const word of answer.split(' ')) {
    if (row.length + 1 + word.length <= room || row.trim() === '') row = `${row} ${word}`
    else {
      rows.push(row)
      row = `${inset}${word}`
    }
  }
  return [...rows, row].join(`\n${margin}`)
}

/**
 * A story for a terminal: set in, its faults marked. With `columns`, a step that is longer is cut
 * off there, or folded.
 */
export function storyLines(
  story: readonly string[],
  { colours }: { readonly colours: boolean },
  columns = Number.POSITIVE_INFINITY,
): string[] {
  const { yellow } = picocolors.createColors(colours)
  const room = columns - margin.length
  return story.map((line) => {
    const text = isTimed(line) && line.length > room ? (folded(line, room) ?? cut(line, room)) : line
    return `${margin}${isAboutFault(line) ? yellow(text) : text}`
  })
}
