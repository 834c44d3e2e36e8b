/**
 * Interleaved rounds. Each round includes every contender, so that a slow minute of the machine
 * slows all contenders equally.
 */
import { type Child, startChild } from './children.ts'
import { here, v8FlagsOf } from './compiled.ts'
import type { Measured } from './contender-child.ts'
import {
  type ContenderName,
  type ContenderResult,
  contenderNames,
  type FloorResult,
  type RatioResult,
} from './results.ts'
import { median } from './spread.ts'

export interface RoundsPlan {
  readonly rounds: number
  readonly quick: boolean
  readonly without: readonly ContenderName[]
  readonly print: (line: string) => void
}

/** The number of runs of each contender in a round, which take one or two seconds. */
const runsPerRound: Record<ContenderName, number> = {
  simulator: 2000,
  'canned-replies': 3000,
  'scheduler-with-mock': 120,
  'real-redis': 80,
}

/**
 * For each peer: how many times as fast as the peer the simulator should be. The aims take the
 * floor into account.
 */
const aims: Partial<Record<ContenderName, number>> = { 'scheduler-with-mock': 12, 'real-redis': 25 }

/** The maximum CPU time that the simulator may take, relative to the client alone. */
const floorAim = 1.4

export interface RoundsResult {
  readonly contenders: readonly ContenderResult[]
  readonly ratios: readonly RatioResult[]
  readonly floor: FloorResult
}

type ContenderChild = Child<{ runs: number }, Measured>

/**
 * Measures all contenders.
 * @throws ChildError with the kind `UnequalError` if a contender's runs do not end as `problemOf`
 *   demands
 */
export async function measureContenders({ rounds, quick, without, print }: RoundsPlan): Promise<RoundsResult> {
  const names = contenderNames.filter((name) => !without.includes(name))
  const children = new Map<ContenderName, ContenderChild>()
  const runsOf = (name: ContenderName) => (quick ? Math.ceil(runsPerRound[name] / 8) : runsPerRound[name])
  const measured = new Map<ContenderName, Measured[]>(names.map((name) => [name, []]))
  try {
    for (const name of names) {
      print(`${name}: warming up`)
      const flags = name === 'simulator' ? await v8FlagsOf(here) : []
      children.set(name, await startChild('contender-child.ts', [name], { flags }))
      await children.get(name)!.ask({ runs: runsOf(name) })
    }
    for (let round = 1; round <= rounds; round++) {
      print(`round ${round} of ${rounds}`)
      for (const name of names) measured.get(name)!.push(await children.get(name)!.ask({ runs: runsOf(name) }))
    }
  } finally {
    for (const child of children.values()) await child.close()
  }
  const contenders = names.map((name) => summary(name, runsOf(name), measured.get(name)!))
  const cpuMsOf = (name: ContenderName) => measured.get(name)!.map(({ cpuMs }) => cpuMs / runsOf(name))
  const floor = floorOf(cpuMsOf('simulator'), cpuMsOf('canned-replies'))
  return { contenders, ratios: ratios(contenders), floor }
}

function summary(name: ContenderName, runs: number, rounds: readonly Measured[]): ContenderResult {
  const rates = rounds.map(({ wallMs }) => (runs * 1000) / wallMs)
  return {
    name,
    runsPerSecond: median(rates),
    runsPerSecondOfRounds: rates,
    cpuMsPerRun: median(rounds.map(({ cpuMs }) => cpuMs / runs)),
    deliveriesPerRun: median(rounds.map(({ deliveries }) => deliveries / runs)),
    runsPerRound: runs,
    repeatedRuns: rounds.reduce((sum, { repeated }) => sum + repeated, 0),
  }
}

/**
 * Compares the simulator with the floor. Both arguments are the CPU milliseconds of a run in each
 * round.
 */
export function floorOf(simulator: readonly number[], floor: readonly number[]): FloorResult {
  const ratio = median(simulator.map((ms, round) => ms / floor[round]!))
  return { ratio, aim: floorAim, met: ratio <= floorAim }
}

function ratios([simulator, ...others]: readonly ContenderResult[]): RatioResult[] {
  return others.flatMap((peer) => {
    const aim = aims[peer.name]
    if (aim === undefined) return []
    const ofRounds = peer.runsPerSecondOfRounds.map((rate, at) => simulator!.runsPerSecondOfRounds[at]! / rate)
    const ratio = median(ofRounds)
    return [{ peer: peer.name, ratio, aim, met: ratio >= aim }]
  })
}
