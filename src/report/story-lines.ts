import picocolors from 'picocolors'
import { elapsedText } from '../contract/results/time-text.ts'

/** The time of a step: virtual, from the start. */
const timed = /^ *([\d.]+) ms {2}/
const isAboutFault = (line: string): boolean => /^ *[\d.]+ ms {2}(fault|healed): /.test(line)

const margin = '    '

/** The user's source line at the end of a step, and the number of repetitions. */
const ends = [
  / \([^\s()]+:\d+\)(?:; repeated (?:once|\d+ times) with .*)?$/,
  /; (?:repeated (?:once|\d+ times) with |\d+ more attempts? ).*$/,
]

/**
 * Truncates the line at its end, or before the source line and the repetitions if there is room for
 * them.
 */
function cut(line: string, room: number): string {
  const kept = ends.map((end) => end.exec(line)?.[0] ?? '').find((end) => end !== '' && end.length * 2 <= room) ?? ''
  return `${line.slice(0, room - 1 - kept.length)}…${kept}`
}

/** A reply is never truncated, because a later step may depend on it. */
const reply = /^( *\+?\d[\d. a-z]*? {2})(.* executes .* for [^\s:]+: )(.*)$/

/**
 * Wraps a step to as many rows as its reply needs. First the folder of the source line is omitted,
 * then its file. A command that is longer than a row is truncated, and its reply begins on the next
 * row. Null for a step without a reply.
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
 * Prepares a story for a terminal: indented, with its faults highlighted. With `columns`, longer
 * steps are truncated or wrapped. `since the line before`: shows times as differences.
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
