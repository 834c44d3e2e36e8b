import { describe, expect, it } from 'vitest'
import { runCampaign } from '../../../src/campaign/conduct/campaign.ts'
import { inlineExecutor } from '../../../src/campaign/conduct/inline-executor.ts'
import type { Bound, CampaignRequest, PairChoice } from '../../../src/campaign/play/campaign-request.ts'
import { EndlessTurn } from '../../../src/campaign/play/endless-turn.ts'
import type { Executor } from '../../../src/campaign/play/executor.ts'
import { oneAtATime } from '../../../src/campaign/play/one-at-a-time.ts'
import { NondeterminismError } from '../../../src/campaign/token/nondeterminism.ts'
import { decodeToken } from '../../../src/campaign/token/token.ts'
import type { CampaignOutcome } from '../../../src/campaign/types.ts'
import { LoadError } from '../../../src/sim/adapters/load-implementation.ts'
import type { WorldRequest } from '../../../src/sim/world.ts'
import { fakeBench, fakeContext, type Misbehaviour } from '../fake-deps.ts'

function choice(implementation: string): PairChoice {
  return {
    scenarioPath: 's',
    scenarioName: 'fake-crash',
    implementationPath: implementation,
    implementationName: implementation,
    sink: 'plain',
    corpus: [],
    runMs: 1,
  }
}

interface Wanted extends Partial<Omit<CampaignRequest, 'pairs'>> {
  readonly pairs?: readonly PairChoice[]
  readonly bound?: Bound
}

function request({ pairs = [choice('layer')], bound = { runs: 120 }, ...more }: Wanted = {}): CampaignRequest {
  return {
    pairs: pairs.map((one) => ({ choice: one, bound })),
    control: null,
    layers: 'must-hold',
    seed: 1,
    bail: false,
    cheaper: [],
    reports: 'reports',
    explain: { layer: 100_000, path: 10_000, checks: 20_000 },
    ...more,
  }
}

const context = fakeContext

const campaign = (how: Misbehaviour, more: Wanted = {}) => runCampaign(request(more), context(fakeBench(how)))

describe('a campaign', () => {
  it('passes a sound layer, and lists the assumptions of the pass', async () => {
    const { exitCode, pairs } = await campaign({ sound: true })
    expect(exitCode).toBe(0)
    expect(pairs[0]).toMatchObject({ verdict: 'pass', reason: null, runs: 120, runsRequested: 120, violations: [] })
    expect(pairs[0]!.goals.crash).toBeGreaterThan(0)
    expect(pairs[0]!.invariants['at-most-once']).toEqual({ verdict: 'valid', runsViolated: 0 })
    expect(pairs[0]!.cells).toEqual({ covered: 1, total: 2 })
    expect(pairs[0]!.effects).toBe(pairs[0]!.messages)
  })

  it('reports a layer with a bug, finishes its runs, and shrinks one run of the cause', async () => {
    const { exitCode, pairs, findings } = await campaign({})
    expect(exitCode).toBe(1)
    expect(pairs[0]).toMatchObject({
      verdict: 'violated',
      runs: 120,
      reason: expect.stringContaining('happened twice'),
    })
    expect(pairs[0]!.invariants['at-most-once']!.runsViolated).toBeGreaterThan(1)
    expect(pairs[0]!.violations).toHaveLength(1)
    const [violation] = pairs[0]!.violations
    expect(violation).toMatchObject({ kind: 'repeat-after-crash', shrunk: false, story: [], finding: 'F1' })
    expect(violation!.replay).toBe(`pnpm sim replay ${violation!.token}`)
    expect(findings).toHaveLength(1)
    expect(findings[0]).toMatchObject({ id: 'F1', shrunk: true, faultCount: 1, cause: { needs: ['crash'] } })
    expect(findings[0]!.runs).toBe(pairs[0]!.invariants['at-most-once']!.runsViolated)
    expect(findings[0]!.seenIn).toEqual([{ scenario: 'fake-crash', runs: violation!.runs }])
  })

  it('numbers root causes and findings once over the sinks of a layer', async () => {
    const pairs = [{ ...choice('layer'), sink: 'keyed' as const }, choice('other'), choice('layer')]
    const check = ({ rootCauses, findings, pairs: played }: CampaignOutcome) => {
      expect(rootCauses.map((one) => [one.implementation, one.sink, one.id, one.findings])).toEqual([
        ['layer', 'plain', '1', ['F1']],
        ['layer', 'keyed', '2', ['F2']],
        ['other', 'plain', '1', ['F1']],
      ])
      expect(findings.map(({ id, rootCause }) => [id, rootCause])).toEqual([
        ['F1', '1'],
        ['F2', '2'],
        ['F1', '1'],
      ])
      const ofPair = (sink: string) => played.find((one) => one.implementation === 'layer' && one.sink === sink)!
      expect(ofPair('plain').violations[0]!.finding).toBe('F1')
      expect(ofPair('keyed').violations[0]!.finding).toBe('F2')
    }
    const outcomesSoFar: (() => CampaignOutcome)[] = []
    const soFar = (outcome: () => CampaignOutcome) => void outcomesSoFar.push(outcome)
    const outcome = await runCampaign(request({ pairs }), { ...context(fakeBench({})), soFar })
    check(outcome)
    check(outcomesSoFar[0]!())
    expect(outcome.pictures.map(({ finding }) => finding).sort()).toEqual(['F1', 'F1', 'F2'])
  })

  it('stops at the first violation with `bail`', async () => {
    const { pairs, notRun } = await campaign({}, { bail: true, pairs: [choice('a'), choice('b')] })
    expect(pairs).toHaveLength(1)
    expect(pairs[0]!.verdict).toBe('violated')
    expect(pairs[0]!.runs).toBeLessThan(120)
    expect(notRun).toEqual([{ implementation: 'b', scenario: 'fake-crash', sink: 'plain' }])
  })

  it('is unknown if a goal was never reached', async () => {
    const { exitCode, pairs } = await campaign({ sound: true, neverReaches: true })
    expect(exitCode).toBe(4)
    expect(pairs[0]).toMatchObject({ verdict: 'unknown', reason: 'not reached in 120 runs: crash' })
  })

  it('is unknown if a kind of fault was often planned and never found a target', async () => {
    const { exitCode, pairs } = await campaign({ sound: true, idle: 'pause' }, { bound: { runs: 250 } })
    expect(exitCode).toBe(4)
    expect(pairs[0]!.verdict).toBe('unknown')
    expect(pairs[0]!.reason).toMatch(/^pause was planned in \d+ runs and never happened: it needs a consumer that is/)
  })

  it('accepts a kind of fault without a target if few runs planned it', async () => {
    const { exitCode } = await campaign({ sound: true, idle: 'pause' }, { bound: { runs: 60 } })
    expect(exitCode).toBe(0)
  })

  it('requires no goal whose mechanism the layer lacks, and gives the reason', async () => {
    const { exitCode, pairs } = await campaign({ sound: true, neverReaches: true }, { pairs: [choice('lacking')] })
    expect(exitCode).toBe(0)
    expect(pairs[0]).toMatchObject({ goals: { crash: 'n/a' }, goalReasons: { crash: 'crash: it has none' } })
  })

  it('is unknown if something was not simulated', async () => {
    const { exitCode, pairs } = await campaign({ sound: true, unsupported: ['LOLWUT'] })
    expect(exitCode).toBe(4)
    expect(pairs[0]).toMatchObject({ reason: 'not simulated: LOLWUT', unsupportedCommands: ['LOLWUT'] })
  })

  it('sorts pairs by implementation', async () => {
    const { pairs } = await campaign({ sound: true }, { pairs: [choice('b'), choice('a')], bound: { runs: 20 } })
    expect(pairs.map((pair) => pair.implementation)).toEqual(['a', 'b'])
  })

  it('rejects before any verdict if a layer cannot be loaded', async () => {
    await expect(campaign({}, { pairs: [choice('broken-file')] })).rejects.toBeInstanceOf(LoadError)
  })

  it('rejects if a layer cannot be judged in some run and no invariant was violated', async () => {
    let runs = 0
    const onRun = () => {
      if (runs++ === 50) throw new LoadError('layer', 'it answers nothing')
    }
    await expect(campaign({ sound: true, onRun })).rejects.toThrow('it answers nothing')
  })

  it('keeps violations from before a layer could not be judged', async () => {
    const onRun = ({ implementation, record, plan: { faults } }: WorldRequest) => {
      if (implementation.path === 'b' && !record && faults.length === 4) throw new LoadError('b', 'it answers nothing')
      if (implementation.path === 'c') throw new LoadError('c', '`create` never settles')
    }
    const { exitCode, pairs, findings } = await campaign({ onRun }, { pairs: ['a', 'b', 'c'].map(choice) })
    expect(exitCode).toBe(1)
    expect(pairs.map(({ verdict, reason, runs }) => [verdict, reason, runs > 0])).toEqual([
      ['violated', expect.stringContaining('happened twice'), true],
      ['violated', expect.stringContaining('happened twice'), true],
      ['unknown', 'c: `create` never settles', false],
    ])
    expect(pairs[1]!.runs).toBeLessThan(pairs[0]!.runs)
    expect(new Set(findings.map(({ implementation }) => implementation))).toEqual(new Set(['a', 'b']))
  })

  it('stops a layer once three of its pairs met an endless turn', async () => {
    let endless = 0
    const onRun = ({ implementation: { path } }: WorldRequest) => {
      if (path === 'c') throw new EndlessTurn('c', `turn ${++endless} does not end`, 0)
    }
    const { exitCode, pairs } = await campaign({ onRun }, { pairs: ['a', 'c', 'c', 'c', 'c', 'c'].map(choice) })
    expect({ exitCode, endless }).toEqual({ exitCode: 1, endless: 3 })
    const [broken, ...others] = pairs
    expect(broken).toMatchObject({ implementation: 'a', verdict: 'violated' })
    expect(others.map(({ verdict, reason }) => `${verdict}: ${reason}`)).toEqual(
      [1, 2, 3, 3, 3].map((turn) => `unknown: c: turn ${turn} does not end`),
    )
  })

  it('gives equal results if several workers play the chunks in another order', async () => {
    const deps = fakeBench()
    const local = inlineExecutor(deps, oneAtATime())
    const alone = await runCampaign(request({ bound: { runs: 230 } }), context(deps))
    const lateFirst: Executor = {
      ...local,
      size: 3,
      runChunk: async (task) => {
        for (let wait = task.from === 0 ? 500 : 0; wait > 0; wait--) await null
        return local.runChunk(task)
      },
    }
    const together = await runCampaign(request({ bound: { runs: 230 } }), context(deps, { executor: lateFirst }))
    expect(together).toEqual(alone)
  })

  it('draws the same plans for every layer', async () => {
    const plans: Record<string, unknown[]> = { a: [], b: [] }
    const onRun: Misbehaviour['onRun'] = (run) => plans[run.implementation.path]!.push(run.plan)
    await campaign({ onRun, sound: true }, { pairs: [choice('a'), choice('b')], bound: { runs: 20 } })
    expect(plans.a).toEqual(plans.b)
    expect(plans.a!.length).toBeGreaterThan(20)
  })
})

describe('a control', () => {
  it('leaves the verdict to the pairs if it breaks', async () => {
    const deps = fakeBench()
    const sound = fakeBench({ sound: true })
    const executor = inlineExecutor(deps, oneAtATime())
    const pairExecutor: Executor = {
      ...executor,
      runChunk: (task) =>
        (task.implementationName === 'control' ? executor : inlineExecutor(sound, oneAtATime())).runChunk(task),
    }
    const outcome = await runCampaign(
      request({ control: choice('control') }),
      context(deps, { executor: pairExecutor }),
    )
    expect(outcome).toMatchObject({ exitCode: 0, harnessFailure: null, control: { verdict: 'violated' } })
    expect(decodeToken(outcome.control!.violations[0]!.token!).ok).toBe(true)
  })

  it('is played once, while other workers finish the pairs', async () => {
    const deps = fakeBench()
    const local = inlineExecutor(deps, oneAtATime())
    const asked: string[] = []
    let startLast = () => {}
    const held = new Promise<void>((resolve) => (startLast = resolve))
    const executor: Executor = {
      ...local,
      size: 2,
      runChunk: async (task) => {
        asked.push(task.implementationName)
        if (task.implementationName === 'control') startLast()
        else if (task.from === 20) await held
        return local.runChunk(task)
      },
    }
    const asks = { control: choice('control'), bound: { runs: 40 } }
    const beside = await runCampaign(request(asks), context(deps, { executor }))
    expect(asked.filter((name) => name === 'control')).toHaveLength(1)
    expect(beside).toEqual(await runCampaign(request(asks), context(deps)))
  })

  it('means a broken harness if it survives, whatever else was found', async () => {
    const outcome = await campaign({ sound: true }, { control: choice('control') })
    expect(outcome.exitCode).toBe(3)
    expect(outcome.harnessFailure).toContain('the control survived 100 runs; the harness is broken')
  })
})

describe('the determinism check', () => {
  it('catches uncontrolled chance, and names the first event that differs', async () => {
    let calls = 0
    const { exitCode, pairs, harnessFailure } = await campaign({ chance: () => calls++, sound: true })
    expect(exitCode).toBe(3)
    expect(pairs[0]!.verdict).toBe('error')
    expect(harnessFailure).toMatch(
      /nondeterminism: run \d+ is not repeatable; first difference: event \d+: .*effect-applied/,
    )
  })

  it('keeps earlier findings if a violation of one layer does not repeat, and ends as a harness failure', async () => {
    const bench = fakeBench({})
    const able = inlineExecutor(bench, oneAtATime())
    const executor: Executor = {
      ...able,
      shrink: (task) =>
        task.implementationName === 'drifting'
          ? Promise.reject(new NondeterminismError('run 3 does not break again after it was shrunk'))
          : able.shrink(task),
    }
    const pairs = [choice('layer'), choice('drifting')]
    const outcome = await runCampaign(request({ pairs }), { ...context(bench), executor })
    expect(outcome.exitCode).toBe(3)
    expect(outcome.harnessFailure).toMatch(
      /while its violations were minimized: nondeterminism: run 3 does not break again/,
    )
    expect(outcome.pairs.map(({ verdict }) => verdict)).toEqual(['violated', 'violated'])
    expect(outcome.findings.map(({ shrunk }) => shrunk)).toEqual([false, true])
  })

  it('loads fresh modules for every run if their state outlives a run, and reports it', async () => {
    const { exitCode, pairs } = await campaign({ leaks: true, sound: true })
    expect(exitCode).toBe(0)
    expect(pairs[0]!.assumptions.at(-1)).toContain('every run loaded the modules again')
    const plain = await campaign({ sound: true })
    expect(plain.pairs[0]!.assumptions).toEqual(['one Redis'])
  })
})

describe('an interrupted campaign', () => {
  it('keeps its unshrunk findings, and exits with 130', async () => {
    let runs = 0
    const { exitCode, interrupted, pairs, notRun } = await campaign(
      { stopped: () => runs > 60, onRun: () => runs++ },
      { pairs: [choice('a'), choice('b')], control: choice('control') },
    )
    expect({ exitCode, interrupted }).toEqual({ exitCode: 130, interrupted: true })
    expect(pairs[0]!.runs).toBeGreaterThan(0)
    expect(pairs[0]!.runs).toBeLessThan(120)
    expect(pairs[0]!.violations).toHaveLength(1)
    expect(pairs).toHaveLength(1)
    expect(notRun).toEqual([{ implementation: 'b', scenario: 'fake-crash', sink: 'plain' }])
  })
})

describe('a campaign bounded by time', () => {
  it('plays whole chunks until its share is spent, and reports its bound', async () => {
    let now = 0
    const deps = fakeBench({ sound: true, onRun: () => now++ })
    const timed = request({ bound: { timeMs: 300 }, pairs: [choice('a'), choice('b')] })
    const outcome = await runCampaign(timed, context(deps, { elapsedMs: () => now }))
    expect(outcome).toMatchObject({ exitCode: 0, bounded: 'time' })
    for (const pair of outcome.pairs) expect(pair.runs).toBe(pair.runsRequested)
    expect(outcome.pairs[0]!.runs).toBeGreaterThanOrEqual(100)
    expect(outcome.pairs[1]!.runs).toBeGreaterThanOrEqual(100)
  })
})
