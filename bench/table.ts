/** Formats the results as text tables. */
import { askedTables } from './asked-tables.ts'
import { aimText, figure, grid } from './grid.ts'
import type { BenchResults, ContenderName, ContenderResult, CostResult, PeerResults } from './results.ts'

const titles: Record<ContenderName, string> = {
  simulator: 'Onceproof, unmodified ioredis',
  'canned-replies': 'the floor: ioredis on canned replies',
  'scheduler-with-mock': 'fast-check scheduler, ioredis-mock',
  'real-redis': 'local redis-server, real timers',
}

export function tableOf(results: BenchResults): string {
  const { contenders, ratios, floor, costs, memory, skipped } = results
  if (contenders === undefined) return askedTables(results)
  return peersTable({ contenders, ratios, floor, costs, memory, skipped } as PeerResults, results.rounds)
}

function peersTable(results: PeerResults, rounds: number): string {
  const { memory } = results
  const contenders = results.contenders.map((contender) => [
    titles[contender.name],
    figure(contender.runsPerSecond),
    figure(1000 / contender.runsPerSecond),
    figure(contender.cpuMsPerRun),
    figure(contender.deliveriesPerRun),
    comparison(contender, results),
  ])
  const repeated = results.contenders.filter(({ repeatedRuns }) => repeatedRuns > 0)
  return [
    `three consumers, five messages, two scripts, one crash; medians of ${rounds} interleaved rounds`,
    grid([['', 'runs/s', 'ms/run', 'CPU ms/run', 'deliveries/run', 'the simulator beside it'], ...contenders]),
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
    `peak RSS ${figure(memory.peakRssMb)} MB; ${memory.flat ? 'flat' : 'MEMORY GROWS: runs do not free it'}`,
  ].join('\n')
}

function comparison({ name }: ContenderResult, { ratios, floor }: PeerResults): string {
  if (name === 'canned-replies')
    return `takes ${figure(floor.ratio)} x its CPU (${aimText({ text: `${floor.aim} x`, met: floor.met })})`
  const ratio = ratios.find(({ peer }) => peer === name)
  if (ratio === undefined) return ''
  return `is ${figure(ratio.ratio)} x as fast (${aimText({ text: `${ratio.aim} x`, met: ratio.met })})`
}

function costRow({ name, us, peer }: CostResult): string[] {
  if (peer === undefined) return [name, figure(us), '', '']
  const { ratio, aim, met } = peer
  const aimed = aim === null ? '' : ` (${aimText({ text: `${aim} x`, met })})`
  return [name, figure(us), figure(peer.us), `${figure(ratio)} x${aimed}`]
}
