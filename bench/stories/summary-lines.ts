import type { MeasuredFinding } from './measure-layer.ts'

/** At most; the median of lines has to stay under its own. */
const aims = { lines: 25, medianLines: 12, faults: 3, seconds: 5 }

export const isOverAim = ({ story, faults, seconds }: MeasuredFinding): boolean =>
  story.length > aims.lines || faults > aims.faults || seconds >= aims.seconds

/** A Markdown table of all findings, the longest first, and what they come to. */
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

function spreadText(numbers: readonly number[]): string {
  const sorted = [...numbers].sort((a, b) => a - b)
  const middle = sorted[Math.floor((sorted.length - 1) / 2)]
  return sorted.length === 0 ? 'none' : `median ${middle}, most ${sorted.at(-1)}`
}
