import picocolors from 'picocolors'
import { elapsedText } from '../contract/results/time-text.ts'

/** The time of a step, virtual and from the start. */
const timed = /^ *([\d.]+) ms {2}/
const isAboutFault = (line: string): boolean => /^ *[\d.]+ ms {2}(fault|healed): /.test(line)

const margin = '    '

/** The user's line, which stands at the end of what was sent, and how often more it was so. */
const ends = [
  / \([^\s()]+:\d+\)(?:; repeated (?:once|\d+ times) with .*)?$/,
  /; (?:repeated (?:once|\d+ times) with |\d+ more attempts? ).*$/,
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
const reply = /^( *\+?\d[\d. a-z]*? {2})(.* executes .* for [^\s:]+: )(.*)$/

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
 * off there, or folded. `since the line before`: times as people read them, as distances.
 */
export function storyLines(
  story: readonly string[],
  { colours }: { readonly colours: boolean },
  columns = Number.POSITIVE_INFINITY,
  times: 'from the start' | 'since the line before' = 'from the start',
): string[] {
  const { yellow } = picocolors.createColors(colours)
  const room = columns - margin.length
  const lines = times === 'from the start' ? story : sinceLineBefore(story)
  return lines.map((line, at) => {
    const isStep = timed.test(story[at]!)
    const text = isStep && line.length > room ? (folded(line, room) ?? cut(line, room)) : line
    return `${margin}${isAboutFault(story[at]!) ? yellow(text) : text}`
  })
}

/** The first time is from the start. */
function sinceLineBefore(story: readonly string[]): string[] {
  let beforeMs: number | null = null
  const steps = story.map((line) => {
    const [all, ms] = timed.exec(line) ?? []
    if (all === undefined) return { time: null, text: line.trimStart() }
    const time = beforeMs === null ? elapsedText(Number(ms)) : `+${elapsedText(Number(ms) - beforeMs)}`
    beforeMs = Number(ms)
    return { time, text: line.slice(all.length) }
  })
  const width = Math.max(0, ...steps.map(({ time }) => time?.length ?? 0))
  return steps.map(({ time, text }) => `${(time ?? '').padStart(width)}  ${text}`)
}
