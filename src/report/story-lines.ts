import picocolors from 'picocolors'

const isTimed = (line: string): boolean => /^ *[\d.]+ ms {2}/.test(line)
const isAboutFault = (line: string): boolean => /^ *[\d.]+ ms {2}(fault|healed): /.test(line)

const margin = '    '

/** The user's line, which stands at the end of what was sent, and how often more it was so. */
const ends = [
  / \([^\s()]+:\d+\)(?:; (?:once|\d+ times) more the same, .*)?$/,
  /; (?:(?:once|\d+ times) more the same, |\d+ more attempts? ).*$/,
]

/** Cut off at its end, or in front of the user's line and of how often it was so, where that leaves room for the rest. */
function cut(line: string, room: number): string {
  const kept = ends.map((end) => end.exec(line)?.[0] ?? '').find((end) => end !== '' && end.length * 2 <= room) ?? ''
  return `${line.slice(0, room - 1 - kept.length)}…${kept}`
}

/** A story for a terminal: set in, its faults marked. With `columns`, a step that is longer is cut off there. */
export function storyLines(
  story: readonly string[],
  { colours }: { readonly colours: boolean },
  columns = Number.POSITIVE_INFINITY,
): string[] {
  const { yellow } = picocolors.createColors(colours)
  const room = columns - margin.length
  return story.map((line) => {
    const text = isTimed(line) && line.length > room ? cut(line, room) : line
    return `${margin}${isAboutFault(line) ? yellow(text) : text}`
  })
}
