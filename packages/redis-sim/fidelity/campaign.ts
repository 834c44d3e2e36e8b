import type { Outcome } from '../src/compare/compare.ts'
import { articleSequences } from './article-sequences.ts'
import { type Difference, type Judged, runSequence, type TargetPair } from './compare/run-sequence.ts'
import { shrink } from './compare/shrink.ts'
import { randomSequences } from './generate/sequences.ts'
import type { RedisChoice } from './redis-choice.ts'
import { referenceSequences } from './reference-sequences.ts'
import { scriptSequences } from './script-sequences.ts'
import { SimulatedTarget } from './simulated-target.ts'
import { describeStep, type Sequence } from './step.ts'
import { stories } from './stories/stories.ts'

export interface FidelityResult {
  readonly seed: number
  readonly redisVersion: string
  readonly sequences: number
  readonly scripts: number
  readonly stories: number
  /** Number of compared replies by command and outcome. */
  readonly commands: ReadonlyMap<string, { readonly [outcome in Outcome]: number }>
  /** Differences that occurred again when the sequence was repeated. Their sequences are shrunk. */
  readonly differences: readonly Difference[]
  /**
   * Differences that did not occur again at the same step, probably because the machine was too
   * slow for a deadline.
   */
  readonly unconfirmed: readonly Difference[]
  readonly unsupported: ReadonlyMap<string, number>
}

/**
 * The comparison stops after this number of differences, because further differences probably have
 * the same causes.
 */
const usualLimit = 25

export interface FidelityOptions {
  readonly seed: number
  readonly commands: number
  readonly scripts: number
  readonly limit?: number
  /** Selects the sequences to execute. Without this function, all sequences are executed. */
  readonly plays?: (sequence: Sequence) => boolean
}

export async function compareAll(
  redis: RedisChoice & { kind: 'ready' },
  options: FidelityOptions,
  judged?: (reply: Judged) => void,
): Promise<FidelityResult> {
  const simulated = new SimulatedTarget()
  const pair: TargetPair = { real: redis.target, simulated, nowUs: redis.nowUs, judged }
  const commands = new Map<string, { [outcome in Outcome]: number }>()
  const count = (name: string, outcome: Outcome) => {
    const counts = commands.get(name) ?? { bytes: 0, rule: 0, accepted: 0, different: 0 }
    counts[outcome]++
    commands.set(name, counts)
  }
  const differences: Difference[] = []
  const unconfirmed: Difference[] = []
  const totals = { sequences: 0, scripts: 0, stories: 0 }
  const run = async (sequence: Sequence) => {
    const found = await runSequence(pair, sequence, count)
    if (found === null) return
    // A difference is confirmed only if it occurs again at the same step. Shrinking would search
    // for the wrong difference if a slow machine caused one at another step.
    const again = async (candidate: Sequence) => {
      const difference = await runSequence(pair, candidate, () => {})
      return difference !== null && describeStep(difference.step) === describeStep(found.step) ? difference : null
    }
    const confirmed = await again(sequence)
    if (confirmed === null) unconfirmed.push(found)
    else differences.push(await shrink(confirmed, again))
  }
  const groups = [
    ['stories', stories],
    ['sequences', referenceSequences(options.seed, 10)],
    ['sequences', articleSequences(options.seed, 10)],
    ['scripts', options.scripts === 0 ? [] : scriptSequences(options.seed, options.scripts)],
    ['sequences', randomSequences(options.seed, options.commands)],
  ] as const
  for (const [group, sequences] of groups) {
    for (const sequence of sequences) {
      if (differences.length >= (options.limit ?? usualLimit)) break
      if (options.plays?.(sequence) === false) continue
      await run(sequence)
      totals[group]++
    }
  }
  return {
    seed: options.seed,
    redisVersion: redis.version,
    ...totals,
    commands,
    unconfirmed,
    differences,
    unsupported: simulated.unsupported,
  }
}
