/**
 * Compares real Sentinels with simulated ones. Both execute the same stories: fixed lists of
 * commands and faults (stories.ts).
 */
import { isDeepStrictEqual } from 'node:util'
import { ServerGone } from 'test-servers'
import { reportAgain } from '../report-again.ts'
import { loose, type Observation, RareCourse } from './observe.ts'
import { RealSentinelTestBed } from './real-test-bed.ts'
import { SimulatedSentinelTestBed } from './simulated-test-bed.ts'
import { type SentinelStory, sentinelStories } from './stories.ts'

export interface SentinelResult {
  readonly stories: number
  readonly facts: number
  readonly times: readonly SentinelTime[]
  /** Differences that occurred in every attempt of a story. */
  readonly differences: readonly string[]
  /** Differences that did not occur in every attempt of a story. */
  readonly unconfirmed: readonly string[]
}

export interface SentinelTime {
  readonly story: string
  readonly what: string
  readonly realMs: number
  /** The times of the simulated runs, ascending. */
  readonly simulatedMs: readonly number[]
}

interface SentinelJudgement {
  readonly facts: number
  readonly times: readonly SentinelTime[]
  readonly differences: readonly string[]
}

/**
 * Number of simulated runs of each story. Their timing varies with the seed, as the timing of real
 * runs varies by chance.
 */
const seeds = 20
/**
 * How much faster or slower a real run may be than the simulated runs. The limit for slower runs is
 * high, because other processes also use the CPU.
 */
export const tolerance = { fasterMs: 100, slowerMs: 700 }
/** Number of attempts. A difference counts only if it occurs in every attempt. */
const attempts = 3
/** Number of stories that run concurrently. Each story has six processes, which mostly wait. */
const atOnce = 4

export async function compareSentinels(program: string, stories = sentinelStories): Promise<SentinelResult> {
  // All stories are simulated before the first real story starts, because simulating uses the CPU
  // and would disturb the times of real events.
  const expectations = new Map<SentinelStory, Observation[]>()
  for (const story of stories) expectations.set(story, await simulate(story))
  const waiting = [...stories]
  const result = {
    stories: 0,
    facts: 0,
    times: [] as SentinelTime[],
    differences: [] as string[],
    unconfirmed: [] as string[],
  }
  const reported = async (story: SentinelStory): Promise<SentinelJudgement> => {
    try {
      return judge(story, expectations.get(story)!, await reportReal(program, story))
    } catch (error) {
      if (error instanceof ServerGone) throw error
      return { facts: 0, times: [], differences: [`${story.name}: ${(error as Error).message}`] }
    }
  }
  const worker = async () => {
    for (let story = waiting.shift(); story !== undefined; story = waiting.shift()) {
      const { facts, times, differences, unconfirmed } = await reportAgain(() => reported(story), attempts)
      result.stories++
      result.facts += facts
      result.times.push(...times)
      result.differences.push(...differences)
      result.unconfirmed.push(...unconfirmed)
    }
  }
  await Promise.all(Array.from({ length: atOnce }, worker))
  return result
}

async function simulate(story: SentinelStory): Promise<Observation[]> {
  const observations: Observation[] = []
  for (let seed = 0; observations.length < seeds; seed++) {
    try {
      observations.push(await story.report(new SimulatedSentinelTestBed(story.setting, seed)))
    } catch (error) {
      if (!(error instanceof RareCourse) || seed > seeds * 2) throw error
    }
  }
  return observations
}

async function reportReal(program: string, story: SentinelStory): Promise<Observation> {
  const testBed = await RealSentinelTestBed.start(program, story.setting)
  try {
    return await story.report(testBed)
  } finally {
    await testBed.stop()
  }
}

/**
 * Lists the differences of a real run. Each fact of the real run must occur in some simulated run.
 * Each time must be within the tolerance of the simulated times.
 */
export function judge(story: SentinelStory, simulated: readonly Observation[], real: Observation): SentinelJudgement {
  const differences: string[] = []
  const say = (what: string, a: unknown, b: unknown) =>
    differences.push(`${story.name}: ${what}\n    real:      ${JSON.stringify(a)}\n    simulated: ${JSON.stringify(b)}`)
  const names = new Set([real, ...simulated].flatMap(({ facts }) => Object.keys(facts)))
  for (const name of names) {
    const alike = simulated.some(({ facts }) => isDeepStrictEqual(facts[name], real.facts[name]))
    if (!alike) say(name, real.facts[name], simulated[0]?.facts[name])
  }
  const ever = new Set(simulated.flatMap(({ kinds }) => kinds))
  const strict = [...ever].filter((kind) => !loose.has(kind.split(' ')[1]!))
  const always = strict.filter((kind) => simulated.every(({ kinds }) => kinds.includes(kind)))
  const unheardOf = real.kinds.filter((kind) => !ever.has(kind))
  const missing = always.filter((kind) => !real.kinds.includes(kind))
  if (unheardOf.length > 0) say('events that no simulated Sentinel published', unheardOf, [])
  if (missing.length > 0) say('events that every simulated run had', [], missing)
  const times = Object.entries(real.times).map(([what, realMs]): SentinelTime => {
    const simulatedMs = simulated.map(({ times }) => times[what]!).sort((a, b) => a - b)
    return { story: story.name, what, realMs, simulatedMs }
  })
  for (const { what, realMs, simulatedMs } of times) {
    if (!simulatedMs.some((ms) => realMs >= ms - tolerance.fasterMs && realMs <= ms + tolerance.slowerMs)) {
      say(`${what}, in ms`, Math.round(realMs), simulatedMs.map(Math.round))
    }
  }
  return { facts: names.size, times, differences }
}
