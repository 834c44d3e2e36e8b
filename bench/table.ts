/** The results as a person reads them. */
import type { BenchResults, ContenderName, CostResult } from './results.ts'

const titles: Record<ContenderName, string> = {
  simulator: 'Onceproof, unmodified ioredis',
  'scheduler-with-mock': 'fast-check scheduler, ioredis-mock',
  'real-redis': 'local redis-server, real timers',
}

export function tableOf(results: BenchResults): string {
  const { memory } = results
  const contenders = results.contenders.map((contender) => {
    const ratio = results.ratios.find(({ peer }) => peer === contender.name)
    return [
      titles[contender.name],
      figure(contender.runsPerSecond),
      figure(1000 / contender.runsPerSecond),
      figure(contender.cpuMsPerRun),
      figure(contender.deliveriesPerRun),
      ratio === undefined ? '' : `${figure(ratio.ratio)} x (aim: ${ratio.aim} x${ratio.met ? '' : ', missed'})`,
    ]
  })
  const repeated = results.contenders.filter(({ repeatedRuns }) => repeatedRuns > 0)
  return [
    `three consumers, five messages, two scripts, one crash; medians of ${results.rounds} interleaved rounds`,
    grid([['', 'runs/s', 'ms/run', 'CPU ms/run', 'deliveries/run', 'the simulator is faster by'], ...contenders]),
    ...results.skipped.map(({ name, reason }) => `skipped: ${name} (${reason})`),
    ...repeated.map(
      ({ name, repeatedRuns }) => `${titles[name]}: ${repeatedRuns} runs outlived a lease and were repeated`,
    ),
    '',
    grid([['one operation', 'µs', 'js-redis-server, µs', 'ours is faster by'], ...results.costs.map(costRow)]),
    '',
    grid([
      ['memory after', 'heap MB', 'RSS MB'],
      ...memory.readings.map(({ runs, heapUsedMb, rssMb }) => [`${runs} runs`, figure(heapUsedMb), figure(rssMb)]),
    ]),
    `peak RSS ${figure(memory.peakRssMb)} MB; ${memory.flat ? 'flat' : 'IT GROWS: something outlives its run'}`,
  ].join('\n')
}

function costRow({ name, us, peer }: CostResult): string[] {
  if (peer === undefined) return [name, figure(us), '', '']
  const { ratio, aim, met } = peer
  const aimed = aim === null ? '' : ` (aim: ${aim} x${met ? '' : ', missed'})`
  return [name, figure(us), figure(peer.us), `${figure(ratio)} x${aimed}`]
}

/** Three significant digits, no exponent. */
function figure(value: number): string {
  if (value >= 100) return String(Math.round(value))
  return value >= 10 ? value.toFixed(1) : value >= 1 ? value.toFixed(2) : value.toFixed(3)
}

/** Columns in line: the first to the left, the others to the right. */
function grid(rows: readonly (readonly string[])[]): string {
  const widths = rows[0]!.map((_, column) => Math.max(...rows.map((row) => row[column]!.length)))
  return rows
    .map((row) => row.map((cell, at) => (at === 0 ? cell.padEnd(widths[at]!) : cell.padStart(widths[at]!))).join('  '))
    .map((line) => line.trimEnd())
    .join('\n')
}
