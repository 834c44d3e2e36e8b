import { commandName, compareReplies, type Outcome } from '../../src/compare/compare.ts'
import type { RealTarget } from '../real-target.ts'
import type { SimulatedTarget } from '../simulated-target.ts'
import { command, type Sequence, type Step } from '../step.ts'

/** The first step at which the replies of the two servers differ. */
export interface Difference {
  readonly sequence: Sequence
  readonly at: number
  readonly step: Step
  readonly real: string
  readonly simulated: string
}

export interface TargetPair {
  readonly real: Pick<RealTarget, 'begin' | 'perform'>
  readonly simulated: SimulatedTarget
  /** The real server's clock, in microseconds since the epoch. */
  nowUs(): number
  /** Called with every compared reply. */
  readonly judged?: ((reply: Judged) => void) | undefined
}

/** The replies of both servers, and how they were compared. */
export interface Judged {
  readonly step: Exclude<Step, { kind: 'sleep' }>
  readonly real: string
  readonly simulated: string
  /** The outcome of the comparison if the simulated server had sent this reply instead. */
  outcomeOf(simulated: string): Outcome
}

export type Count = (commandName: string, outcome: Outcome) => void

/** Performs the steps on both servers, then compares the final keyspaces. */
export async function runSequence(pair: TargetPair, sequence: Sequence, count: Count): Promise<Difference | null> {
  const { real, simulated } = pair
  const firstId = await real.begin(sequence.connections + 1)
  simulated.nowUs = pair.nowUs()
  simulated.begin(sequence.connections + 1, firstId)
  const run = new Run(pair, sequence, count)
  for (const [at, step] of sequence.steps.entries()) {
    if (step.kind === 'sleep') await new Promise((resolve) => setTimeout(resolve, step.ms))
    else if (!(await run.agree(step))) return run.difference(at, step)
  }
  for (const step of run.inspection()) if (!(await run.agree(step))) return run.difference(sequence.steps.length, step)
  return null
}

class Run {
  /** Queued commands since MULTI, by connection. */
  private readonly queued = new Map<number, string[][]>()
  private last = { real: '', simulated: '' }

  constructor(
    private readonly pair: TargetPair,
    private readonly sequence: Sequence,
    private readonly count: Count,
  ) {}

  async agree(step: Exclude<Step, { kind: 'sleep' }>): Promise<boolean> {
    const { real, simulated } = this.pair
    simulated.nowUs = this.pair.nowUs()
    const database = simulated.database(step.on)
    // If no reply is awaited, the real server executes the step in the background. It then receives
    // the step last, so that it does not use the CPU while the simulated server computes.
    const isLeft = step.kind === 'raw' && step.replies === 0
    this.last = isLeft
      ? { simulated: await simulated.perform(step), real: await real.perform(step) }
      : { real: await real.perform(step), simulated: await simulated.perform(step) }
    const args = step.kind === 'command' ? step.args : ['raw']
    const queued = this.queued.get(step.on) ?? []
    const outcomeOf = (answer: string) =>
      compareReplies(args, this.last.real, answer, queued, database, this.sequence.timed)
    const outcome = outcomeOf(this.last.simulated)
    this.pair.judged?.({ step, ...this.last, outcomeOf })
    this.count(commandName(args), outcome)
    this.follow(step.on, args)
    return outcome !== 'different'
  }

  difference(at: number, step: Step): Difference {
    return { sequence: this.sequence, at, step, ...this.last }
  }

  /** Reads all remaining keys on a separate connection. */
  inspection(): Exclude<Step, { kind: 'sleep' }>[] {
    const on = this.sequence.connections
    const ask = (...args: string[]) => command(on, ...args) as Exclude<Step, { kind: 'sleep' }>
    return this.pair.simulated.server.keyspace.used().flatMap((database) => [
      ask('SELECT', String(database.index)),
      ask('DBSIZE'),
      ...[...database.entries].flatMap(([key, entry]) => [
        ask('TYPE', key),
        ask('OBJECT', 'ENCODING', key),
        ask('PEXPIRETIME', key),
        // DUMP is omitted if values contain times, which cannot be masked in a dump.
        ...(this.sequence.timed ? [] : [ask('DUMP', key)]),
        ask(...readers[entry.type](key)),
      ]),
    ])
  }

  private follow(on: number, args: readonly string[]): void {
    const name = args[0]!.toLowerCase()
    if (name === 'exec' || name === 'discard' || name === 'reset') this.queued.delete(on)
    else if (this.last.real === '+OK\r\n' && name === 'multi') this.queued.set(on, [])
    else if (this.last.real === '+QUEUED\r\n') this.queued.get(on)?.push([...args])
  }
}

const readers = {
  string: (key: string) => ['GET', key],
  hash: (key: string) => ['HGETALL', key],
  list: (key: string) => ['LRANGE', key, '0', '-1'],
  set: (key: string) => ['SMEMBERS', key],
  zset: (key: string) => ['ZRANGE', key, '0', '-1', 'WITHSCORES'],
  stream: (key: string) => ['XINFO', 'STREAM', key, 'FULL', 'COUNT', '0'],
}
