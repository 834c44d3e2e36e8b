import { beforeAll, describe, expect, it } from 'vitest'
import { compareSequence } from '../../../fidelity/postgres/compare-sequences.ts'
import { deadlockAtOnce } from '../../../fidelity/postgres/deadlock-at-once.ts'
import { setup } from '../../../fidelity/postgres/generate.ts'
import { SimulatedTarget } from '../../../fidelity/postgres/simulated-target.ts'
import type { Seen, Step, Target } from '../../../fidelity/postgres/target.ts'
import { loadSqlParser } from '../../../src/sim/postgres/engine/index.ts'

/** Both of the others wait for session 0, which lets them go. */
const steps: readonly Step[] = [
  { session: 0, sql: 'BEGIN' },
  { session: 0, sql: 'UPDATE t SET n = n + 1' },
  { session: 1, sql: 'SELECT id FROM t ORDER BY id FOR UPDATE' },
  { session: 2, sql: 'SELECT id FROM t ORDER BY id DESC FOR UPDATE' },
  { session: 0, sql: 'COMMIT' },
]

const error = (code: string, processes: readonly number[]) => ({
  error: {
    C: code,
    D: processes
      .map(
        (one, at) => `Process ${one} waits for ShareLock on transaction N; blocked by process ${processes.at(at - 1)}.`,
      )
      .join('\n'),
  },
  notes: [],
})

/** A server that does as the simulated one, but that session 2 fails at the last step. */
class Failing implements Target {
  readonly #target = new SimulatedTarget()
  #left = steps.length

  constructor(private readonly failure: ReturnType<typeof error>) {}

  begin(tables: readonly string[], sessions: number): Promise<void> {
    return this.#target.begin(tables, sessions)
  }

  async step(step: Step): Promise<Seen | null> {
    const seen = await this.#target.step(step)
    return --this.#left > 0 ? seen : { waiting: {}, answered: { ...seen!.answered, 2: [this.failure] } }
  }
}

const compare = (failure: ReturnType<typeof error>) => compareSequence(new Failing(failure), setup, 3, steps)

describe('a deadlock of a real server that no order of whole sessions has', () => {
  beforeAll(loadSqlParser)

  it('is left out by name where all in it were let go at the same time', async () => {
    expect(await compare(error('40P01', [2, 1]))).toEqual({
      difference: null,
      declined: deadlockAtOnce,
      followed: steps.length,
    })
  })

  it.each([
    ['the session that was asked is in it', error('40P01', [2, 0])],
    ['one of them is none that had waited', error('40P01', [2, 3])],
    ['it is of one session', error('40P01', [2])],
    ['it is another error', error('40001', [2, 1])],
  ])('is a difference where %s', async (_, failure) => {
    const { difference, declined } = await compare(failure)
    expect(difference?.at).toBe(steps.length - 1)
    expect(declined).toBeNull()
  })
})
