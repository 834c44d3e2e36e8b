import { describe, expect, it } from 'vitest'
import { inlineExecutor } from '../../../src/campaign/conduct/inline-executor.ts'
import { findCounterexample } from '../../../src/campaign/explain/counterexample.ts'
import { oneAtATime } from '../../../src/campaign/play/one-at-a-time.ts'
import { PlayedBefore } from '../../../src/campaign/play/played-before.ts'
import { requestOf, runChunk } from '../../../src/campaign/play/run-chunk.ts'
import { shrinkTask } from '../../../src/campaign/play/tasks.ts'
import type { WorldRequest } from '../../../src/campaign/types.ts'
import { createDeps } from '../../../src/cli/create-deps.ts'
import { pairById } from '../../scenarios/pair-by-id.ts'

const deps = createDeps(() => false)

/** Counts the runs that are really played. */
function counting() {
  const played: WorldRequest[] = []
  const runWorld = (request: WorldRequest) => {
    played.push(request)
    return deps.runWorld(request)
  }
  return { played, deps: { ...deps, runWorld } }
}

const layer = ['001-get-set', 'competing-consumers'] as const

async function asked(run: number, [id, scenario]: readonly [string, string] = layer) {
  const { task, pair } = await pairById(id, scenario, deps)
  return requestOf({ ...task, fresh: false }, pair, run)
}

describe('a run that a search requests', () => {
  it('is played once for each layer, scenario, sink, plan and choices', async () => {
    const { played, deps } = counting()
    const before = new PlayedBefore()
    const request = await asked(0)
    const first = await before.play(request, deps)
    expect(await before.play({ ...request, plan: structuredClone(request.plan) }, deps)).toBe(first)
    const others = [
      await asked(1),
      { ...request, sink: 'keyed' as const },
      { ...request, choices: { seed: request.choices.seed + 1 } },
      { ...request, choices: { ...request.choices, own: {}, calm: true as const } },
      { ...request, scenario: { ...request.scenario } },
      { ...request, events: 10 },
      await asked(0, ['001-set-nx-delete', 'competing-consumers']),
    ]
    for (const other of others) expect(await before.play(other, deps)).not.toBe(first)
    expect(played).toHaveLength(1 + others.length)
  })

  it('equals the played result', async () => {
    const request = await asked(0)
    const { history, executed, eventCount } = await deps.runWorld({ ...request, keepChoices: true })
    expect(await new PlayedBefore().play(request, deps)).toMatchObject({ history, executed, eventCount })
  })

  it('is played again if a longer part is requested, unless it had reached its end', async () => {
    const { played, deps } = counting()
    const before = new PlayedBefore()
    const request = await asked(0)
    const cut = await before.play({ ...request, untilUs: 1 }, deps)
    expect(cut.history.events.at(-1)).toMatchObject({ type: 'ended', complete: false })
    const whole = await before.play(request, deps)
    const last = whole.history.events.at(-1)!
    expect(last).toMatchObject({ type: 'ended', complete: true })
    expect(played).toHaveLength(2)
    expect(await before.play({ ...request, untilUs: last.atUs }, deps)).toBe(whole)
    expect(await before.play({ ...request, untilUs: last.atUs - 1 }, deps)).not.toBe(whole)
    expect(played).toHaveLength(3)
  })

  it('is evicted by other requests', async () => {
    const { played, deps } = counting()
    const before = new PlayedBefore(2)
    const [first, second, third] = [await asked(0), await asked(1), await asked(2)]
    for (const request of [first, second, first, third]) await before.play(request, deps)
    expect(played).toHaveLength(3)
    await before.play(first, deps)
    expect(played).toHaveLength(3)
    await before.play(second, deps)
    expect(played).toHaveLength(4)
  })

  it('is evicted at once, without the others, if its commands exceed the limit', async () => {
    const { played, deps } = counting()
    const large = 'x'.repeat(30_000_000)
    const runWorld = async (request: WorldRequest) => {
      const result = await deps.runWorld(request)
      if (request.sink !== 'keyed') return result
      return { ...result, executed: result.executed.map((one) => ({ ...one, args: [large], reply: large })) }
    }
    const before = new PlayedBefore()
    const request = await asked(0)
    for (const sink of ['keyed', 'plain', 'keyed', 'plain'] as const)
      await before.play({ ...request, sink }, { ...deps, runWorld })
    expect(played.map(({ sink }) => sink)).toEqual(['keyed', 'plain', 'keyed'])
  })
})

describe('a run that several looks record', () => {
  it('is played once if they follow each other, and again for a schedule', async () => {
    const { played, deps } = counting()
    const before = new PlayedBefore()
    const [request, other] = [await asked(0), await asked(1)]
    const first = await before.record(request, deps)
    expect(first.historyDigest).not.toBeNull()
    expect(await before.record({ ...request, plan: structuredClone(request.plan) }, deps)).toBe(first)
    expect((await before.record({ ...request, schedule: true }, deps)).schedule).not.toBeNull()
    await before.record(other, deps)
    await before.record(request, deps)
    expect(played.map(({ schedule = false }) => schedule)).toEqual([false, true, false, false])
  })
})

describe('searches for smaller runs', () => {
  it('give the same result and cost together in fewer runs, if they start from one violating run', async () => {
    const { task } = await pairById(...layer, deps)
    const pair = { ...task, seed: 2, fresh: false }
    const { paths } = await runChunk({ ...pair, from: 0, to: 20, bail: true }, deps)
    const searches = [...paths.values(), ...paths.values()].map((path) =>
      shrinkTask(pair, path, { mode: 'story', budget: 2_000 }),
    )
    const [apart, together] = [counting(), counting()]
    const executor = inlineExecutor(together.deps, oneAtATime())
    for (const search of searches)
      expect(await executor.shrink(search)).toEqual(await findCounterexample(search, apart.deps))
    expect(together.played.length).toBeLessThan(apart.played.length * 0.7)
  })
})
