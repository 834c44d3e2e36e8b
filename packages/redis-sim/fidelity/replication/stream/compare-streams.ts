/**
 * Compares the replication stream of a simulated primary with that of a real one, command by
 * command, for the same sequence of client commands. Replies are ignored.
 */
import { startRedis } from 'test-servers'
import { shrink } from '../../compare/shrink.ts'
import { randomSequences } from '../../generate/sequences.ts'
import { RealTarget } from '../../real-target.ts'
import { referenceSequences } from '../../reference-sequences.ts'
import { SimulatedTarget } from '../../simulated-target.ts'
import { command, type Sequence, type Step } from '../../step.ts'
import { stories } from '../../stories/stories.ts'
import { effectsIn, sameEffect, type Words } from './effects.ts'
import { RealTap, tapSimulated } from './taps.ts'

/** The first effect that differs. */
export interface StreamDifference {
  readonly sequence: Sequence
  /** Number of steps up to the difference. */
  readonly at: number
  readonly real: Words | undefined
  readonly simulated: Words | undefined
}

export interface StreamResult {
  readonly sequences: number
  readonly effects: number
  readonly differences: readonly StreamDifference[]
}

const differenceLimit = 10
const channel = 'fidelity-marker'
const options = ['--repl-diskless-sync-delay', '0', '--enable-debug-command', 'yes']

export async function compareStreams(program: string, seed: number, commands: number): Promise<StreamResult> {
  const server = await startRedis(program, options)
  const real = new RealTarget('127.0.0.1', server.port)
  try {
    // The background cycle is disabled, because it would delete expired keys at random moments.
    await real.ask(['DEBUG', 'SET-ACTIVE-EXPIRE', '0'])
    const tap = await RealTap.open(server.port)
    try {
      // The full resync must be complete first, because FLUSHALL kills the process that writes the
      // data set.
      while (!(await real.ask(['INFO', 'replication'])).includes('state=online')) await tap.moment()
      return await new Comparison(real, tap).compareAll(seed, commands)
    } finally {
      tap.close()
    }
  } finally {
    real.close()
    await server.stop()
  }
}

class Comparison {
  private readonly simulated = new SimulatedTarget()
  private markers = 0
  private effects = 0

  constructor(
    private readonly real: RealTarget,
    private readonly tap: RealTap,
  ) {}

  async compareAll(seed: number, commands: number): Promise<StreamResult> {
    const differences: StreamDifference[] = []
    let sequences = 0
    for (const group of [stories, referenceSequences(seed, 5), randomSequences(seed, commands)]) {
      for (const sequence of group) {
        if (differences.length >= differenceLimit) break
        if (!isReported(sequence)) continue
        sequences++
        const found = await this.compare(sequence)
        // A difference that does not occur again is attributed to a missed deadline on a slow
        // machine.
        const confirmed = found === null ? null : await this.compare(sequence)
        if (confirmed !== null) differences.push(await shrink(confirmed, (shorter) => this.compare(shorter)))
      }
    }
    return { sequences, effects: this.effects, differences }
  }

  private async compare(sequence: Sequence): Promise<StreamDifference | null> {
    const { real, simulated, tap } = this
    const firstId = await real.begin(sequence.connections)
    simulated.nowUs = Date.now() * 1000
    simulated.begin(sequence.connections + 1, firstId)
    const heard = tapSimulated(simulated.server)
    await tap.until(await this.mark(sequence))
    for (const step of sequence.steps) {
      if (step.kind === 'sleep') await new Promise((resolve) => setTimeout(resolve, step.ms))
      else if (!findsExpired(step)) await this.perform(step)
    }
    const end = await this.mark(sequence)
    return this.judge(sequence, effectsIn(await tap.until(end)), effectsIn(afterMarker(heard())))
  }

  private async perform(step: Exclude<Step, { kind: 'sleep' }>): Promise<void> {
    this.simulated.nowUs = Date.now() * 1000
    await this.real.perform(step)
    await this.simulated.perform(step)
  }

  /**
   * Publishes the same message on both servers, from database 0. Returns the text that ends the
   * message in the replication stream.
   */
  private async mark(sequence: Sequence): Promise<string> {
    const words = ['PUBLISH', channel, `${++this.markers}`]
    await this.real.ask(words)
    await this.simulated.perform(command(sequence.connections, ...words) as Exclude<Step, { kind: 'sleep' }>)
    return `$${channel.length}\r\n${channel}\r\n$${words[2]!.length}\r\n${words[2]}\r\n`
  }

  private judge(sequence: Sequence, real: readonly Words[], simulated: readonly Words[]): StreamDifference | null {
    this.effects += real.length
    for (let at = 0; at < Math.max(real.length, simulated.length); at++) {
      if (sameEffect(real[at], simulated[at])) continue
      return { sequence, at: sequence.steps.length, real: real[at], simulated: simulated[at] }
    }
    return null
  }
}

/** The stream after the first marker message, which marks the start of a sequence. */
function afterMarker(stream: string): string {
  const [, after] = /fidelity-marker\r\n\$\d+\r\n\d+\r\n(.*)$/s.exec(stream)!
  return after!
}

/**
 * True for commands with which the simulated server deletes other expired keys than a real server,
 * or in another order. When keys are counted, it deletes keys that a real server deletes in the
 * background. SCAN finds keys in another order.
 */
function findsExpired(step: Step): boolean {
  return step.kind === 'command' && /^(dbsize|randomkey|info|scan)$/i.test(step.args[0]!)
}

/** False for sequences that set a password, because the marker messages would be refused. */
function isReported({ steps }: Sequence): boolean {
  return !steps.some((step) => step.kind === 'command' && step.args.includes('requirepass'))
}
