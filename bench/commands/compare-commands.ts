/**
 * Compares whole commands of this checkout with the same commands of another. The commands run one
 * after another, so that each has the machine to itself.
 */
import { median, type Spread, spreadOf } from '../spread.ts'
import { type CommandCosts, runCommand, withReports } from './run-command.ts'
import { type Listed, namesOf, onlyShared } from './shared-names.ts'

interface Command {
  readonly name: string
  readonly args: readonly string[]
  readonly quickArgs: readonly string[]
  /** The sections of `list` of which the command plays every item that the checkout has. */
  readonly playsAll: readonly Listed[]
  readonly reports: boolean
  /** The aim for the duration, on two idle cores. */
  readonly aimSeconds: number
}

const oneScenario = ['--scenario', 'key-reuse', '--runs', '5']

const commands: readonly Command[] = [
  {
    name: 'sim',
    args: ['run'],
    quickArgs: ['run', ...oneScenario],
    playsAll: ['scenarios'],
    reports: true,
    aimSeconds: 20,
  },
  {
    name: 'sim --impl 000-lua-acquire',
    args: ['run', '--impl', '000-lua-acquire'],
    quickArgs: ['run', '--impl', '000-lua-acquire', ...oneScenario],
    playsAll: ['scenarios'],
    reports: true,
    aimSeconds: 30,
  },
  {
    name: 'matrix --runs 30',
    args: ['matrix', '--runs', '30'],
    quickArgs: ['matrix', '--impl', '000-lua-acquire', ...oneScenario],
    playsAll: ['scenarios', 'implementations'],
    reports: true,
    aimSeconds: 150,
  },
  {
    name: 'canaries',
    args: ['canaries'],
    quickArgs: ['canaries', '--only', 'canary-parks-everything'],
    playsAll: ['canaries'],
    reports: false,
    aimSeconds: 60,
  },
]

export interface CommandSide {
  readonly wallSeconds: number
  readonly cpuSeconds: number
  readonly exitCode: number
}

export interface CommandRow {
  readonly name: string
  /** Medians over the rounds, and the last round's exit code. */
  readonly here: CommandSide
  readonly other: CommandSide
  /** The time of the other checkout divided by the time of this one. */
  readonly wallRatio: Spread
  readonly cpuRatio: Spread
  readonly aimSeconds: number
  readonly met: boolean
}

export interface CommandsPlan {
  readonly here: string
  readonly other: string
  readonly rounds: number
  readonly quick: boolean
  /** If true, this checkout plays only what the other one also has. */
  readonly shared: boolean
  /** Measures only commands whose name contains this text. */
  readonly only: string
  readonly print: (line: string) => void
}

export async function compareCommands({
  here,
  other,
  rounds,
  quick,
  shared,
  only,
  print,
}: CommandsPlan): Promise<readonly CommandRow[]> {
  const chosen = commands.filter(({ name }) => name.includes(only))
  const names = shared && !quick ? { here: await namesOf(here), other: await namesOf(other) } : null
  const rows: CommandRow[] = []
  for (const { name, args, quickArgs, playsAll, reports, aimSeconds } of chosen) {
    const less = names === null ? [] : onlyShared(playsAll, names.here, names.other)
    const costs = { here: [] as CommandCosts[], other: [] as CommandCosts[] }
    for (let round = 0; round < rounds; round++) {
      const sides = [['here', here] as const, ['other', other] as const]
      for (const [side, folder] of round % 2 === 0 ? sides : sides.reverse()) {
        print(`${name}, round ${round + 1} of ${rounds}: ${side === 'here' ? 'this checkout' : 'the other'}`)
        const played = await withReports((to) => {
          const all = [...(quick ? quickArgs : args), ...(side === 'here' ? less : [])]
          return runCommand({ folder, args: [...all, ...(reports ? ['--reports', to] : [])] })
        })
        costs[side].push(played)
      }
    }
    const ratio = (what: 'wallMs' | 'cpuMs') =>
      spreadOf(costs.here.map((cost, round) => costs.other[round]![what] / cost[what]))
    const side = sideOf(costs.here)
    rows.push({
      name,
      here: side,
      other: sideOf(costs.other),
      wallRatio: ratio('wallMs'),
      cpuRatio: ratio('cpuMs'),
      aimSeconds,
      met: side.wallSeconds <= aimSeconds,
    })
  }
  return rows
}

function sideOf(costs: readonly CommandCosts[]): CommandSide {
  return {
    wallSeconds: median(costs.map(({ wallMs }) => wallMs)) / 1000,
    cpuSeconds: median(costs.map(({ cpuMs }) => cpuMs)) / 1000,
    exitCode: costs.at(-1)!.exitCode,
  }
}
