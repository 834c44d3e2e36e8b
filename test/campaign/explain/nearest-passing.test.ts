import { describe, expect, it } from 'vitest'
import {
  type BrokenRun,
  findNearestPassing,
  type NearRun,
  type PlayNear,
} from '../../../src/campaign/explain/nearest-passing.ts'
import type { RunChoices } from '../../../src/campaign/token/run-choices.ts'
import type { RunResult } from '../../../src/campaign/types.ts'
import type { Plan } from '../../../src/contract/api/plan.ts'
import { aRun } from '../../check/history-builder.ts'

const amply = { isSpent: false }
const atOnce = { at: 'time', ms: 0 } as const
const plan = {
  messages: [
    { key: 'k1', payload: 1, publishAtMs: 0 },
    { key: 'k2', payload: 2, publishAtMs: 50 },
  ],
  faults: [
    { kind: 'crash', when: atOnce },
    { kind: 'pause', when: atOnce },
  ],
} as unknown as Plan

type Choice = NonNullable<RunResult['choices']>[number]

const choice = (stream: string, chosen: number, atUs = 0, about: string | null = null): Choice => ({
  stream,
  what: 'latency',
  about,
  n: 1016,
  chosen,
  atUs,
})

const resultOf = ({ events }: { events: unknown }, choices: readonly Choice[] = []): RunResult =>
  ({ history: { events }, choices }) as unknown as RunResult

function broken(more: Partial<BrokenRun> = {}): BrokenRun {
  const history = aRun().publish('m1')
  history.add({ type: 'fault-struck', fault: 'crash', index: 0, sentence: 'consumer-1 is killed' })
  history.add({ type: 'fault-struck', fault: 'pause', index: 1, sentence: 'consumer-2 stops' })
  return {
    invariant: 'at-most-once',
    plan,
    choices: { choiceSeed: 7 },
    result: resultOf(history),
    brokeUs: 10,
    ...more,
  }
}

const withoutFaults = (more: Partial<BrokenRun> = {}) => broken({ plan: { ...plan, faults: [] }, ...more })

/** Plays runs that keep the invariant if `holds` is true, and records them. */
function playing(holds: (plan: Plan, choices: RunChoices) => boolean, about: Partial<NearRun> = {}) {
  const played: { plan: Plan; choices: RunChoices }[] = []
  const play: PlayNear = async (plan, choices) => {
    played.push({ plan, choices })
    return { result: resultOf(aRun()), keeps: holds(plan, choices), breaks: [], ...about }
  }
  return { play, played }
}

const kindsOf = ({ faults }: Plan) => faults.map(({ kind }) => kind).join()

describe('the nearest passing run', () => {
  it('is the run without the decisive fault, described in the words of the fault', async () => {
    const { play } = playing((some) => kindsOf(some) === 'crash')
    const { what, run } = await findNearestPassing(broken(), play, amply)
    expect(what).toBe('without this fault: consumer-2 stops')
    expect(run).toMatchObject({ plan: { faults: [{ kind: 'crash' }] }, choices: { choiceSeed: 7 } })
    expect(Object.keys(run!)).toEqual(['plan', 'choices', 'result'])
  })

  it('leaves out the fault whose absence changes the run latest, wherever it stands in the plan', async () => {
    const struck = (...faults: readonly (readonly [kind: string, index: number])[]) => {
      const history = aRun().publish('m1')
      for (const [fault, index] of faults)
        history.add({ type: 'fault-struck', fault, index, sentence: `${fault} strikes` })
      return resultOf(history)
    }
    const faults = ['crash', 'pause', 'slow-link'].map((kind) => ({ kind, when: atOnce }))
    const runs = new Map([
      ['pause,slow-link', struck(['pause', 0], ['slow-link', 1])],
      ['crash,slow-link', struck()],
      ['crash,pause', struck(['pause', 1])],
    ])
    const play: PlayNear = async (some) => ({ result: runs.get(kindsOf(some))!, keeps: true, breaks: [] })
    const result = struck(['pause', 1], ['slow-link', 2], ['crash', 0])
    const { what } = await findNearestPassing(broken({ plan: { ...plan, faults }, result }), play, amply)
    expect(what).toBe('without this fault: crash strikes')
  })

  it('ranks behind runs that break nothing if it breaks another invariant, and mentions that', async () => {
    const breaks = ['no-lost-message', 'same-result'] as const
    const { play } = playing(() => true, { breaks })
    expect((await findNearestPassing(broken(), play, amply)).what).toBe(
      'without this fault: consumer-1 is killed (at-most-once holds, but no-lost-message and same-result break)',
    )
    const mixed: PlayNear = async (some) => ({
      result: resultOf(aRun()),
      keeps: true,
      breaks: kindsOf(some) === 'pause' ? ['no-lost-message'] : [],
    })
    expect((await findNearestPassing(broken(), mixed, amply)).what).toBe('without this fault: consumer-2 stops')
  })

  it('changes the last choice that matters if no fault does', async () => {
    const choices = [
      choice('consumer-1~redis>', 5, 1, 'GET'),
      choice('consumer-1~redis<', 0, 2, 'GET'),
      choice('consumer-1~redis>', 9, 3, 'handshake'),
      choice('consumer-1~redis>', 8, 11, 'SET'),
    ]
    const { play, played } = playing((_, { choices }) => choices?.['consumer-1~redis>']?.[0] === 0)
    const { what, run } = await findNearestPassing(withoutFaults({ result: resultOf(aRun(), choices) }), play, amply)
    expect(what).toBe("consumer-1's GET takes 0.1 ms instead of 0.2 ms")
    expect(run!.choices).toEqual({ choiceSeed: 7, choices: { 'consumer-1~redis>': [0, 9, 8] } })
    // Calm choices are tried at their extreme. The handshake and choices after the violation are
    // not tried.
    expect(played.map(({ choices }) => choices.choices)).toEqual([
      { 'consumer-1~redis<': [1015], 'consumer-1~redis>': [5, 9, 8] },
      { 'consumer-1~redis>': [0, 9, 8] },
    ])
  })

  it('delays a message if nothing else matters', async () => {
    const { play } = playing(({ messages }) => messages[0]!.publishAtMs === 1_000)
    const { what, run } = await findNearestPassing(withoutFaults(), play, amply)
    expect(what).toBe('message 1 (key k1) is published at 1000 ms instead of 0 ms')
    expect(run!.plan.messages.map(({ publishAtMs }) => publishAtMs)).toEqual([1_000, 50])
  })

  it('is missing if all tried runs break or are undecided', async () => {
    const { play, played } = playing(() => false)
    const { what, run } = await findNearestPassing(broken(), play, amply)
    expect(run).toBeNull()
    expect(what).toBe(`no passing run found next to it (${played.length} tried)`)
    // Two faults, and two messages with four delays each.
    expect(played).toHaveLength(10)
  })

  it('is no longer searched for once the budget is spent, and the report mentions that', async () => {
    const budget = { isSpent: false }
    const play: PlayNear = async () => {
      budget.isSpent = true
      return { result: resultOf(aRun()), keeps: false, breaks: [] }
    }
    expect((await findNearestPassing(broken(), play, budget)).what).toBe(
      'no passing run found next to it (1 tried, then the event budget ran out)',
    )
  })

  it('reports that the user stopped it instead of a broken run', async () => {
    expect(await findNearestPassing(broken(), async () => null, amply)).toEqual({
      what: 'no passing run found next to it (0 tried, then the user stopped it)',
      run: null,
    })
  })
})
