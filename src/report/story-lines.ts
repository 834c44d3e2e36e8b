import picocolors from 'picocolors'

const isTimed = (line: string): boolean => /^ *[\d.]+ ms {2}/.test(line)
const isAboutFault = (line: string): boolean => /^ *[\d.]+ ms {2}(fault|healed): /.test(line)

const margin = '    '

/** A story for a terminal: set in, its faults marked. With `columns`, a step that is longer is cut off there. */
export function storyLines(
  story: readonly string[],
  { colours }: { readonly colours: boolean },
  columns = Number.POSITIVE_INFINITY,
): string[] {
  const { yellow } = picocolors.createColors(colours)
  const room = columns - margin.length
  return story.map((line) => {
    const text = isTimed(line) && line.length > room ? `${line.slice(0, room - 1)}…` : line
    return `${margin}${isAboutFault(line) ? yellow(text) : text}`
  })
}
