import type { MeasuredFinding } from './measure-layer.ts'

/** The upper limits. The median number of lines must be below `medianLines`. */
const aims = { lines: 25, medianLines: 12, faults: 3, seconds: 5 }

export const isOverAim = ({ story, faults, seconds }: MeasuredFinding): boolean =>
  story.length > aims.lines || faults > aims.faults || seconds >= aims.seconds

/** A Markdown table by layer: the number of findings, and their highest values. */
export function layerLines(findings: readonly MeasuredFinding[]): string[] {
  const layers = [...new Set(findings.map(({ layer }) => layer))]
  const rows = layers.map((layer) => {
    const own = findings.filter((one) => one.layer === layer)
    const most = (of: (one: MeasuredFinding) => number) => Math.max(...own.map(of))
    const lines = own.map(({ story }) => story.length)
    return `| \`${layer}\` | ${own.length} | ${medianOf(lines)} | ${most(({ story }) => story.length)} | ${most(({ faults }) => faults)} | ${most(({ seconds }) => seconds).toFixed(1)} |`
  })
  return [
    '| layer | findings | lines, median | lines, most | faults, most | CPU seconds, most |',
    '|---|---:|---:|---:|---:|---:|',
    ...rows,
  ]
}

/** A Markdown table of all findings, the longest first, with a summary. */
export function summaryLines(findings: readonly MeasuredFinding[]): string[] {
  const longestFirst = [...findings].sort((a, b) => b.story.length - a.story.length)
  const rows = longestFirst.map(
    (one) =>
      `${one.layer} | ${one.what} | ${one.scenario} | ${one.story.length} | ${one.faults} | ${one.seconds.toFixed(2)}${isOverAim(one) ? ' | over the aim' : ''}`,
  )
  const of = (what: (one: MeasuredFinding) => number) => spreadText(findings.map(what))
  const over = findings.filter(isOverAim).length
  return [
    'layer | finding | scenario | lines | faults | seconds',
    '---|---|---|---|---|---',
    ...rows,
    '',
    `${findings.length} findings, ${over} over the aim (${aims.lines} lines, ${aims.faults} faults, under ${aims.seconds} s)`,
    `lines: ${of(({ story }) => story.length)} (aim: median under ${aims.medianLines})`,
    `faults: ${of(({ faults }) => faults)}`,
    `seconds: ${of(({ seconds }) => Number(seconds.toFixed(2)))}`,
  ]
}

const spreadText = (numbers: readonly number[]): string =>
  numbers.length === 0 ? 'none' : `median ${medianOf(numbers)}, most ${Math.max(...numbers)}`

/** The median; the lower of the two middle values if the number is even. */
function medianOf(numbers: readonly number[]): number {
  const sorted = [...numbers].sort((a, b) => a - b)
  return sorted[Math.floor((sorted.length - 1) / 2)]!
}
