/** Formats the results of the measurements that options of `pnpm bench` select. */
import type { AgainstResult, AgainstRow } from './against/against.ts'
import { shareAims } from './client-rates.ts'
import type { CommandRow } from './commands/compare-commands.ts'
import { aims, type FirstAnswer } from './commands/first-answer.ts'
import { aimText, figure, grid, spreadText } from './grid.ts'
import type { LayerRate } from './layer-rates.ts'
import type { GrowthResult } from './memory-growth.ts'
import type { GuardCost } from './once/overhead.ts'
import type { RealRedisResults } from './real-redis/measure.ts'
import type { AskedResults } from './results.ts'
import { few, many } from './scaling/sizes.ts'
import type { ScenarioCost } from './scenario-costs.ts'
import { type StoreRates, statementAim, storeAims } from './stores/store-rates.ts'

export function askedTables(results: Partial<AskedResults>): string {
  const { against, commands, scaling, growth, scenarioCosts, firstAnswers, guards, realRedis, clients, stores } =
    results
  const tables = [
    against && againstTable(against),
    commands && commandsTable(commands),
    scaling && scalingTable(scaling),
    growth && growthTable(growth),
    scenarioCosts && scenarioCostsTable(scenarioCosts),
    firstAnswers && firstAnswersTable(firstAnswers),
    guards && guardsTable(guards),
    realRedis && realRedisTables(realRedis),
    clients && ratesTable(clients, 'one layer on', shareAims),
    stores && storesTables(stores),
  ]
  return tables.filter((table) => table !== undefined).join('\n\n')
}

function ratesTable(rates: readonly LayerRate[], what: string, aims: Readonly<Record<string, number>>): string {
  const head = [what, 'runs/s of CPU time', `of the rate of ${rates[0]!.name}`, '']
  const cells = ({ name, runsPerSecond, share }: LayerRate) => {
    const aim = aims[name]
    const met = aim === undefined || share.median >= aim
    const aimCell = aimText(aim === undefined ? null : { text: String(Math.round(aim * 100) / 100), met })
    return [name, figure(runsPerSecond.median), spreadText(share), aimCell]
  }
  return grid([head, ...rates.map(cells)])
}

function storesTables({ layers, statements: { canned, simulated, share } }: StoreRates): string {
  const aim = { text: String(statementAim), met: share.median >= statementAim }
  const rows = [
    ['pg on canned replies', figure(canned.median), '1', ''],
    ['pg in the simulator', figure(simulated.median), spreadText(share), aimText(aim)],
  ]
  const statements = grid([
    ['statements one after the other', 'statements/s of CPU time', 'of the canned rate', ''],
    ...rows,
  ])
  return `${ratesTable(layers, 'the reference', storeAims)}\n\n${statements}`
}

function againstTable({ rows, skipped }: AgainstResult): string {
  const head = [
    'the reference, same plans',
    'here, CPU ms/run',
    'other',
    'here, runs/s',
    'other',
    'here is faster by',
    '',
  ]
  const cells = ({ name, here, other, ratio, aim, met }: AgainstRow) => [
    name,
    ...[here.cpuMsPerRun, other.cpuMsPerRun, here.runsPerSecond, other.runsPerSecond].map(figure),
    `${spreadText(ratio)} x`,
    aimText(aim === null ? null : { text: `${aim} x`, met }),
  ]
  return [grid([head, ...rows.map(cells)]), ...skipped.map(({ name, reason }) => `skipped: ${name} (${reason})`)].join(
    '\n',
  )
}

function commandsTable(rows: readonly CommandRow[]): string {
  const head = ['whole command', 'here, s', 'other', 'CPU here, s', 'other', 'other / here', 'by CPU', '']
  const cells = ({ name, here, other, wallRatio, cpuRatio, aimSeconds, met }: CommandRow) => [
    name,
    ...[here.wallSeconds, other.wallSeconds, here.cpuSeconds, other.cpuSeconds].map(figure),
    `${spreadText(wallRatio)} x`,
    `${spreadText(cpuRatio)} x`,
    aimText({ text: `${aimSeconds} s`, met }),
  ]
  return grid([head, ...rows.map(cells)])
}

function scalingTable({ messages, consumers, workers }: AskedResults['scaling']): string {
  const messageRows = messages.map(({ what, fewMs, manyMs, ratio, aim, met }) => {
    return [what, figure(fewMs), figure(manyMs), `${spreadText(ratio)} x`, aimText({ text: `at most ${aim} x`, met })]
  })
  const first = consumers[0]!.consumers
  const consumerRows = consumers.map(({ consumers, runMs, ratio }) => {
    return [`${consumers} consumers`, figure(runMs), `${spreadText(ratio)} x`]
  })
  const { command, twoWorkers, twoLoops, aim, met } = workers
  return [
    grid([['CPU ms', `${few} messages`, `${many} messages`, 'ratio', ''], ...messageRows]),
    '',
    grid([[`${few} messages`, 'CPU ms/run', `beside ${first} consumers`], ...consumerRows]),
    '',
    `two workers beside one, \`${command}\`: ${spreadText(twoWorkers)} x (${aimText({ text: `${aim} x`, met })})`,
    `two busy loops beside one, same machine: ${spreadText(twoLoops)} x`,
  ].join('\n')
}

function growthTable(results: readonly GrowthResult[]): string {
  return results
    .map(({ scenario, readings, grownMb, aimMb, met }) => {
      const rows = readings.map(({ runs, heapUsedMb }) => [`${runs} runs`, heapUsedMb.toFixed(2)])
      const grown = `${grownMb.toFixed(2)} MB over the last half (${aimText({ text: `under ${aimMb} MB`, met })})`
      return `${grid([[`${scenario}, heap after`, 'MB'], ...rows])}\n${grown}`
    })
    .join('\n\n')
}

function scenarioCostsTable(costs: readonly ScenarioCost[]): string {
  const rows = costs.map(({ scenario, shape, cpuMsPerRun, runMs, statedRunMs }) => {
    return [scenario, shape, spreadText(cpuMsPerRun), `runMs: ${runMs},`, statedRunMs === null ? '–' : `${statedRunMs}`]
  })
  return grid([['the reference in', 'on', 'CPU ms/run', 'to state', 'stated'], ...rows])
}

function firstAnswersTable(answers: readonly FirstAnswer[]): string {
  const seconds = (value: number | null) => (value === null ? 'never' : value.toFixed(1))
  const rows = answers.map(({ layer, violationSeconds, storySeconds, wholeSeconds, lines, exitCode, missed }) => {
    return [
      layer,
      ...[seconds(violationSeconds), seconds(storySeconds), seconds(wholeSeconds), `${lines}`, `${exitCode}`],
      missed.map((aim) => `${aim} above ${aims[aim]}`).join(', '),
    ]
  })
  return grid([['sim --impl', 'first violation, s', 'first story, s', 'whole, s', 'lines', 'exit', 'missed'], ...rows])
}

function guardsTable(guards: readonly GuardCost[]): string {
  const widths = guards[0]!.times.map(({ atOnce }) => `${atOnce} at a time, ms`)
  const head = ['an effect, p50 and p99', ...widths, 'round trips', 'bytes a key']
  const cells = ({ name, times, roundTrips, bytesAKey }: GuardCost) => [
    name,
    ...times.map(({ p50Ms, p99Ms }) => `${figure(p50Ms)} ${figure(p99Ms)}`),
    figure(roundTrips),
    String(Math.round(bytesAKey)),
  ]
  return grid([head, ...guards.map(cells)])
}

function realRedisTables({ redis, allocator, commands, records }: RealRedisResults): string {
  const widths = commands[0]!.times.map(({ atOnce }) => `${atOnce} at a time, ms`)
  const latencies = commands.map(({ name, roundTrips, times }) => [
    name,
    String(roundTrips),
    ...times.map(({ p50Ms, p99Ms }) => `${figure(p50Ms)} ${figure(p99Ms)}`),
  ])
  const sizes = records.map(({ name, keeps, keyBytes, valueBytes, keys, bytesAKey }) => [
    name,
    keeps,
    `${keyBytes} + ${valueBytes}`,
    String(keys),
    String(Math.round(bytesAKey)),
  ])
  return [
    `Redis ${redis}, ${allocator}`,
    grid([['p50 and p99', 'round trips', ...widths], ...latencies]),
    '',
    grid([['a record', 'keeps', 'key + value, bytes', 'keys', 'bytes a key'], ...sizes]),
  ].join('\n')
}
