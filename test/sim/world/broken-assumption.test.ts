/** An assumption of ours that does not hold ends the campaign: it must not pass for a layer's fault. */
import { afterEach, describe, expect, it, vi } from 'vitest'
import { runCampaign } from '../../../src/campaign/play/campaign.ts'
import type { Boundary } from '../../../src/contract/api/plan.ts'
import { BrokenAssumption } from '../../../src/run/assert.ts'
import { Conductor } from '../../../src/run/conductor.ts'
import { ConsumerSlots } from '../../../src/run/consumer-slots.ts'
import { FaultInjection } from '../../../src/run/fault-injection.ts'
import { runWorld } from '../../../src/sim/world.ts'
import { fakeBench, fakeContext } from '../../campaign/fake-deps.ts'
import { done, layer, loaded, play } from '../world-lab.ts'

afterEach(() => vi.restoreAllMocks())

const working = () =>
  layer(async ({ key, payload }, redis, { sink }) => {
    await redis.set(key, 'seen')
    await sink.perform({ key, payload })
    return done
  })

const broken = () => {
  throw new BrokenAssumption('a test breaks it')
}

const crash = { kind: 'crash', when: { at: 'time', ms: 1 }, consumer: 0, healAfterMs: 100 } as const

describe('a broken assumption ends a simulated run', () => {
  it.each(['created', 'answered', 'connected', 'handlingSinceUs'] as const)('where %s finds it', async (name) => {
    await play(working())
    vi.spyOn(ConsumerSlots.prototype, name).mockImplementation(broken)
    await expect(play(working())).rejects.toThrow(BrokenAssumption)
  })

  it('where a process dies', async () => {
    const dying = layer(() => Promise.reject(setTimeout(() => Promise.reject(new Error('own')), 10)))
    await play(dying, { maxAttempts: 1 })
    vi.spyOn(ConsumerSlots.prototype, 'died').mockImplementation(broken)
    await expect(play(dying, { maxAttempts: 1 })).rejects.toThrow(BrokenAssumption)
  })

  it.each<Boundary>([
    'delivery-received',
    'command-unsent',
    'command-executed',
    'reply-received',
    'effect-unsent',
    'effect-answered',
    'answered',
  ])('at the boundary %s', async (boundary) => {
    const { arrive } = Conductor.prototype
    vi.spyOn(Conductor.prototype, 'arrive').mockImplementation(function (this: Conductor<never>, process, at, ...more) {
      return at === boundary ? broken() : arrive.call(this, process, at, ...more)
    })
    await expect(play(working())).rejects.toThrow(BrokenAssumption)
  })

  it('where a fault strikes', async () => {
    vi.spyOn(FaultInjection.prototype, 'strike').mockImplementation(broken)
    await expect(play(working(), { faults: [crash] })).rejects.toThrow(BrokenAssumption)
  })
})

describe('a broken assumption in one run of a campaign', () => {
  it('ends it with exit code 3, and names the run and the assumption', async () => {
    const bench = fakeBench({})
    let played = 0
    const deps = {
      ...bench,
      runWorld: (request: Parameters<typeof runWorld>[0]) => {
        // One run without faults, then runs 0, 1 and 2.
        if (++played === 4) vi.spyOn(ConsumerSlots.prototype, 'answered').mockImplementation(broken)
        return runWorld({ ...request, implementation: loaded(working()) })
      },
    }
    const bound = { runs: 5 }
    const choice = {
      scenarioPath: 's',
      scenarioName: 'fake-crash',
      implementationPath: 'layer',
      implementationName: 'layer',
      sink: 'plain',
      corpus: [],
      runMs: 1,
    } as const
    const { exitCode, harnessFailure, pairs } = await runCampaign(
      {
        pairs: [{ choice, bound }],
        control: null,
        layers: 'must-hold',
        seed: 1,
        bail: false,
        cheaper: [],
        reports: 'reports',
        explain: { layer: 1, path: 1, checks: 1 },
      },
      fakeContext(deps),
    )
    expect(exitCode).toBe(3)
    expect(pairs[0]!.verdict).toBe('error')
    expect(harnessFailure).toContain('run 2: a test breaks it')
  })
})
