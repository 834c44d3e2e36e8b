import picocolors from 'picocolors'
import { elapsedText } from '../contract/results/time-text.ts'

/** Matches the time of a step, which is virtual and counted from the start. */
const timed = /^ *([\d.]+) ms {2}/
const isAboutFault = (line: string): boolean => /^ *[\d.]+ ms {2}(fault|healed): /.test(line)

const margin = '    '

/** Match the end of a step: the user's source line, and the number of repetitions. */
const ends = [
  / \([^\s()]+:\d+\)(?:; repeated (?:once|\d+ times) with .*)?$/,
  /; (?:repeated (?:once|\d+ times) with |\d+ more attempts? ).*$/,
]

/** Truncates the line. If there is room, its source line and number of repetitions are kept. */
function cut(line: string, room: number): string {
  const kept = ends.map((end) => end.exec(line)?.[0] ?? '').find((end) => end !== '' && end.length * 2 <= room) ?? ''
  return `${line.slice(0, room - 1 - kept.length)}…${kept}`
}

/**
 * Matches a step with a reply. Replies are never truncated, because a later step may depend on
 * them.
 */
const reply = /^( *\+?\d[\d. a-z]*? {2})(.* executes .* for [^\s:]+: )(.*)$/

/**
 * Shortens a step that has a reply, or wraps it to as many rows as the reply needs. First the
 * folder of the source line is omitted, then its file name. A command that is longer than a row is
 * truncated, and its reply begins on the next row. Null for a step without a reply.
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
 * steps are truncated or wrapped. If times are requested `since the line before`, they are shown as
 * differences.
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

/** Replaces each time by the difference from the time before. The first time is kept. */
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
