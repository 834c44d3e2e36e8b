/**
 * Compares another server with the simulated 7.0.15. Finds all differences, not only the first few.
 */
import { commandName } from '../../src/compare/compare.ts'
import { redisVersion } from '../../src/version.ts'
import { articleSequences } from '../article-sequences.ts'
import { runSequence, type TargetPair } from '../compare/run-sequence.ts'
import { randomSequences } from '../generate/sequences.ts'
import type { RedisChoice } from '../redis-choice.ts'
import { referenceSequences } from '../reference-sequences.ts'
import { scriptSequences } from '../script-sequences.ts'
import { SimulatedTarget } from '../simulated-target.ts'
import type { Sequence, Step } from '../step.ts'
import { stories } from '../stories/stories.ts'
import { usedByLayers } from './used-by-layers.ts'

/** One differing reply. */
export interface VersionDifference {
  /** Full name of the command in lower case. */
  readonly command: string
  readonly step: Step
  readonly real: string
  readonly simulated: string
  readonly sequence: string
}

export interface VersionComparison {
  /** Name and version, for example `Valkey 8.1.1`. */
  readonly server: string
  readonly replies: number
  readonly differences: readonly VersionDifference[]
  /**
   * Full names of the commands that the reference, the articles' layers and client libraries send.
   */
  readonly layers: ReadonlySet<string>
}

/**
 * Maximum number of differences in one sequence. After each difference, the sequence is repeated
 * without the step that differed.
 */
const mostOfSequence = 60

export async function compareVersion(
  redis: RedisChoice & { kind: 'ready' },
  options: { readonly seed: number; readonly commands: number; readonly scripts: number },
): Promise<VersionComparison> {
  const pair: TargetPair = { real: underOneVersion(redis), simulated: new SimulatedTarget(), nowUs: redis.nowUs }
  const ofLayers = [...referenceSequences(options.seed, 10), ...articleSequences(options.seed, 10)]
  const scripts = options.scripts === 0 ? [] : scriptSequences(options.seed, options.scripts)
  const all = [...ofLayers, ...stories, ...scripts, ...randomSequences(options.seed, options.commands)]
  const differences: VersionDifference[] = []
  let replies = 0
  for (const sequence of all) {
    const found = await differencesOf(pair, sequence, () => replies++)
    differences.push(...found)
  }
  return { server: redis.name, replies, differences, layers: usedByLayers(ofLayers) }
}

/** Replaces the version in replies to HELLO, which always differs, by the simulated version. */
function underOneVersion({ target, version }: RedisChoice & { kind: 'ready' }): TargetPair['real'] {
  const named = (text: string) => `$${text.length}\r\n${text}\r\n`
  return {
    begin: (connections) => target.begin(connections),
    perform: async (step) => (await target.perform(step)).replace(named(version), named(redisVersion)),
  }
}

async function differencesOf(pair: TargetPair, sequence: Sequence, count: () => void): Promise<VersionDifference[]> {
  const found: VersionDifference[] = []
  let { steps } = sequence
  while (found.length < mostOfSequence) {
    const difference = await runSequence(pair, { ...sequence, steps }, found.length === 0 ? count : () => {})
    if (difference === null) return found
    const { step, real, simulated, at } = difference
    const command = step.kind === 'command' ? commandName(step.args) : '(raw)'
    found.push({ command, step, real, simulated, sequence: sequence.name })
    // A difference in the final keyspace belongs to no step of the sequence, so no step can be
    // removed.
    if (at >= steps.length) return found
    steps = steps.filter((_, index) => index !== at)
  }
  return found
}
