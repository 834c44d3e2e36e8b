import { beforeAll, describe, expect, it } from 'vitest'
import { compareSequence } from '../../fidelity/compare-sequences.ts'
import { deadlockAtOnce } from '../../fidelity/deadlock-at-once.ts'
import { setup } from '../../fidelity/generate.ts'
import { SimulatedTarget } from '../../fidelity/simulated-target.ts'
import type { Seen, Step, Target } from '../../fidelity/target.ts'
import { loadSqlParser } from '../../src/index.ts'

/** The steps of a deadlock: both other sessions wait for session 0, whose commit wakes them. */
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

/** A simulated server, except that the last step returns the given answers. */
class Answering implements Target {
  readonly #target = new SimulatedTarget()
  #left: number

  constructor(
    steps: readonly Step[],
    private readonly answers: Seen['answered'],
  ) {
    this.#left = steps.length
  }

  begin(tables: readonly string[], sessions: number): Promise<void> {
    return this.#target.begin(tables, sessions)
  }

  async step(step: Step): Promise<Seen | null> {
    const seen = await this.#target.step(step)
    return --this.#left > 0 ? seen : { waiting: {}, answered: { ...seen!.answered, ...this.answers } }
  }
}

const compare = (failure: ReturnType<typeof error>) =>
  compareSequence(new Answering(steps, { 2: [failure] }), setup, 3, steps)

const leftOut = (of: readonly Step[]) => ({ difference: null, declined: deadlockAtOnce, followed: of.length })

describe('a deadlock of a real server that no serial order of sessions reproduces', () => {
  beforeAll(loadSqlParser)

  it('is declined by name if one commit woke all its sessions', async () => {
    expect(await compare(error('40P01', [2, 1]))).toEqual(leftOut(steps))
  })

  it.each([
    ['the session of the step is in the deadlock', error('40P01', [2, 0])],
    ['one of its sessions had not waited', error('40P01', [2, 3])],
    ['the deadlock has a single session', error('40P01', [2])],
    ['the error is not a deadlock', error('40001', [2, 1])],
  ])('is a difference if %s', async (_, failure) => {
    const { difference, declined } = await compare(failure)
    expect(difference?.at).toBe(steps.length - 1)
    expect(declined).toBeNull()
  })

  /**
   * The steps with session 1 changing all rows, with a statement of session 3, and with optional
   * steps before.
   */
  const besides = (third: string, ...before: readonly Step[]): readonly Step[] => [
    ...before,
    ...steps.slice(0, 2),
    { session: 1, sql: 'UPDATE t SET n = n + 1' },
    steps[3]!,
    { session: 3, sql: third },
    steps.at(-1)!,
  ]
  const answering = async (asked: readonly Step[], answers: Seen['answered'], sessions: number) => {
    const failing = new Answering(asked, { 2: [error('40P01', [2, 1])], ...answers })
    return compareSequence(failing, setup, sessions, asked)
  }
  const expectDifference = async (asked: readonly Step[], answers: Seen['answered'], sessions: number) => {
    const { difference, declined } = await answering(asked, answers, sessions)
    expect([difference?.at, declined]).toEqual([asked.length - 1, null])
  }
  const nowIs = (n: number) => [{ tag: 'UPDATE 1', columns: [['n', 23]], rows: [[String(n)]], notes: [] }] as const
  const second = besides('UPDATE t SET n = n + 1 WHERE id = 2 RETURNING n')

  it.each([4, 5])('is declined if a session outside of the deadlock answers %d, as in some serial order', async (n) => {
    expect(await answering(second, { 3: nowIs(n) }, 4)).toEqual(leftOut(second))
  })

  it('is a difference if the answer of a session outside of the deadlock occurs in no serial order', async () => {
    await expectDifference(second, { 3: nowIs(6) }, 4)
  })

  it('is declined if a session outside of the deadlock had queued behind the victim, which is rolled back', async () => {
    const behind = [...steps.slice(0, -1), { session: 3, sql: 'UPDATE t SET n = 0 WHERE id = 3' }, steps.at(-1)!]
    expect(await answering(behind, { 3: nowIs(6) }, 4)).toEqual(leftOut(behind))
    await expectDifference(behind, { 0: nowIs(6) }, 4)
  })

  it('is a difference if the session of the step answers differently', async () => {
    await expectDifference(steps, { 0: nowIs(6) }, 3)
  })

  const held = (holder: number) =>
    besides(
      'UPDATE t SET n = n + 1 WHERE id = 2; SELECT pg_advisory_xact_lock(7)',
      { session: holder, sql: 'BEGIN' },
      { session: holder, sql: 'SELECT pg_advisory_xact_lock(7)' },
    )

  it('is declined if a session has an answer because the victim has released its locks', async () => {
    expect(await answering(held(2), { 3: nowIs(4) }, 4)).toEqual(leftOut(held(2)))
  })

  it('is a difference if a session has an answer although a session outside of the deadlock holds the requested lock', async () => {
    await expectDifference(held(4), { 3: nowIs(4) }, 5)
  })
})
