/** Run numbers as text, with consecutive numbers joined: `0-3, 7`. */
export function runRanges(runs: readonly number[]): string {
  const sorted = [...new Set(runs)].sort((a, b) => a - b)
  const ranges: [from: number, to: number][] = []
  for (const run of sorted) {
    const last = ranges.at(-1)
    if (last !== undefined && last[1] === run - 1) last[1] = run
    else ranges.push([run, run])
  }
  return ranges.map(([from, to]) => (from === to ? `${from}` : `${from}-${to}`)).join(', ')
}
