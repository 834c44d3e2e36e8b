import { describe, expect, it } from 'vitest'
import { drawRun } from '../../../src/campaign/play/draw-run.ts'
import {
  decodeRun,
  decodeToken,
  encodeRun,
  encodeToken,
  excessOf,
  longestToken,
  type RecordedRun,
} from '../../../src/campaign/token/token.ts'
import { picks } from '../../../src/contract/api/plan.ts'
import { crashScenario, noise } from '../fake-deps.ts'

const { value, choiceSeed } = drawRun(crashScenario(), 7, 3)
const run: RecordedRun = {
  scenario: 'fake-crash',
  implementation: './my-layer.ts',
  sink: 'plain',
  seed: 7,
  run: 3,
  plan: value.value,
  choiceSeed,
  choices: { broker: [0, 0, 3, 0, 1], 'consumer-1~redis>': [583] },
  stepCount: 12,
  trail: 'ABCDEFGHIJKL',
  digest: 'deadbeef',
}
const token = encodeToken(run)!

describe('a token', () => {
  it('decodes to its run', () => {
    expect(token).toMatch(/^op2_[A-Za-z0-9_-]+$/)
    expect(token.length).toBeLessThanOrEqual(longestToken)
    expect(decodeToken(token)).toEqual({ ok: true, run })
  })

  it('is the same for the same run, in any order of its members', () => {
    const turned = Object.fromEntries(Object.entries(run).reverse()) as unknown as RecordedRun
    expect(encodeToken(turned)).toBe(token)
  })

  it('is rejected with advice if it has an earlier version', () => {
    const problem = expect.stringMatching(/^an op1_ token is of an earlier version.*run the campaign again/)
    expect(decodeToken('op1_eJxVUEtuwzAM')).toEqual({ ok: false, why: 'incompatible', problem })
    expect(decodeRun('{"version":1}')).toMatchObject({ ok: false, why: 'incompatible' })
  })

  it.each([{ broker: [1] }, { broker: [-1, 2] }, { broker: [3, 0] }, { broker: 'calm' }, [1, 2]])(
    'whose lists of choices are %j is unreadable',
    (choices) => {
      const text = JSON.stringify({ ...JSON.parse(encodeRun(run)), choices })
      expect(decodeRun(text)).toMatchObject({ ok: false, why: 'unreadable' })
    },
  )

  it('with more choices than any run makes is refused without being unpacked', () => {
    const text = JSON.stringify({ ...JSON.parse(encodeRun(run)), choices: { broker: [1e15, 1] } })
    expect(decodeRun(text)).toMatchObject({ ok: false, why: 'refused', problem: expect.stringContaining('choices') })
  })

  it.each([-5, 0, 11, 13, 2 ** 53 - 1, 1.5])('with a trail of 12 marks for %d steps is unreadable', (stepCount) => {
    expect(decodeRun(encodeRun({ ...run, stepCount }))).toMatchObject({ ok: false, why: 'unreadable' })
  })

  it('has at most one mark for each step, and at most 160', () => {
    const long = (stepCount: number, marks: number) =>
      decodeRun(encodeRun({ ...run, stepCount, trail: 'A'.repeat(marks) }))
    expect(long(321, 107)).toMatchObject({ ok: true })
    expect(long(321, 160)).toMatchObject({ ok: false, why: 'unreadable' })
    expect(long(0, 0)).toMatchObject({ ok: true })
  })

  it('decodes only the members of a run, and treats names of streams as plain names', () => {
    const lists = '{"__proto__":[0,5],"constructor":[1,2]}'
    const odd = `{"odd":1,"__proto__":{"choiceSeed":9},"choices":${lists},${encodeRun({ ...run, choices: undefined } as unknown as RecordedRun).slice(1)}`
    const decoded = decodeRun(odd)
    if (!decoded.ok) throw new Error(decoded.problem)
    expect(Object.keys(decoded.run).sort()).toEqual(Object.keys(run).sort())
    expect(decoded.run.choiceSeed).toBe(choiceSeed)
    expect(Object.entries(decoded.run.choices!)).toEqual([
      ['__proto__', [5]],
      ['constructor', [0, 2]],
    ])
    expect(encodeRun(decoded.run)).toContain('"__proto__":[0,5]')
  })

  const choices = { broker: [...Array<number>(400_000).fill(0), 1] }
  it.each<[string, Partial<RecordedRun>]>([
    ['it has more than 400000 choices', { choices }],
    ['its run is longer than 2000000 bytes', { digest: 'é'.repeat(1_000_000) }],
    ["its plan's `consumers` is 65; at most 64", { plan: { ...run.plan, consumers: 65 } }],
  ])('is not created for a run that could not be decoded: %s', (problem, more) => {
    const large = { ...run, ...more }
    expect(encodeToken(large)).toBeNull()
    expect(excessOf(large)).toBe(problem)
    expect(decodeRun(encodeRun(large))).toEqual({ ok: false, why: 'refused', problem })
  })

  it('can be created for all other runs', () => {
    expect(excessOf(run)).toBeNull()
    const most = { ...run, choices: { broker: choices.broker.slice(1) } }
    expect(excessOf(most)).toBeNull()
    expect(decodeToken(encodeToken(most)!).ok).toBe(true)
  })

  it('is unreadable if it was cut anywhere, and never becomes another run', () => {
    for (let length = 0; length < token.length - 1; length += 7)
      expect(decodeToken(token.slice(0, length))).toMatchObject({ ok: false, why: 'unreadable' })
  })

  it('does not exist for a run that is too long, which is kept in a file', () => {
    const long = { ...run, plan: { ...run.plan, messages: [{ key: 'k', publishAtMs: 0, payload: noise(4000) }] } }
    expect(encodeToken(long)).toBeNull()
    expect(decodeRun(encodeRun(long))).toMatchObject({ ok: true, run: { plan: long.plan } })
    expect(decodeRun(encodeRun(long).slice(0, 2000))).toMatchObject({ ok: false, why: 'unreadable' })
  })

  it('whose plan lacks a part is incompatible, and names the part', () => {
    const { leaseMs: _, ...plan } = run.plan
    const altered = encodeRun({ ...run, plan: plan as RecordedRun['plan'] })
    expect(decodeRun(altered)).toEqual({
      ok: false,
      why: 'incompatible',
      problem: 'its plan has no `leaseMs` (a number)',
    })
  })

  it('keeps the members that older plans lack, and does not add them to older plans', () => {
    const when = { at: 'command-executed', consumer: 0, nth: 2, of: { label: 'SET', key: 'k' } } as const
    const plan = {
      ...run.plan,
      messages: [
        { key: 'k', payload: null, publishAtMs: 0, stampOffMs: -5 },
        { key: '', keyless: true, payload: null, publishAtMs: 0 },
      ],
      serial: true,
      broker: { partitions: 2, batch: 3 },
      work: { beforeMs: 1, afterMs: 0 },
      sinkRemembersMs: 7,
      results: 'nothing',
      faults: [{ kind: 'lost-reply', when }],
    } as const
    expect(decodeToken(encodeToken({ ...run, plan })!)).toMatchObject({ ok: true, run: { plan } })
    const { serial: _, broker: _____, work: __, sinkRemembersMs: ___, results: ____, ...earlier } = plan
    const decoded = decodeToken(encodeToken({ ...run, plan: earlier })!)
    expect(decoded.ok && Object.keys(decoded.run.plan).sort()).toEqual(Object.keys(earlier).sort())
  })

  const aimed = (at: string, of: object) => ({ kind: 'crash', when: { at, ms: 1, consumer: 0, nth: 1, of } })
  it.each([
    { at: 'reply-received', of: { label: 'SET' } },
    { at: 'reply-received', of: { pick: picks - 1 } },
    { at: 'command-unsent', of: { label: 'SET', key: 'k' } },
  ])('with a fault aimed at $at by $of is a token', ({ at, of }) => {
    const plan = { ...run.plan, faults: [aimed(at, of)] } as unknown as RecordedRun['plan']
    expect(decodeToken(encodeToken({ ...run, plan })!)).toMatchObject({ ok: true })
  })

  it.each([
    [{ serial: 1 }, 'serial'],
    [{ broker: { partitions: 0, batch: 1 } }, 'broker'],
    [{ broker: { partitions: 2 } }, 'broker'],
    [{ messages: [{ key: 'k', keyless: true, payload: 1, publishAtMs: 0 }] }, 'messages'],
    [{ work: { beforeMs: 1 } }, 'work'],
    [{ work: { beforeMs: -1, afterMs: 1 } }, 'work'],
    [{ sinkRemembersMs: 'long' }, 'sinkRemembersMs'],
    [{ results: 'page' }, 'results'],
    [{ messages: [{ key: 'k', payload: 1, publishAtMs: 0, stampOffMs: 0.5 }] }, 'messages'],
    [{ faults: [{ kind: 'crash', when: { at: 'answered', consumer: 0, nth: 1, of: { key: 'k' } } }] }, 'fault 1'],
    [{ faults: [{ kind: 'crash', when: { at: 'answered', consumer: 0, nth: 1, of: { pick: 0.5 } } }] }, 'fault 1'],
  ])('whose plan has %j is incompatible, and names the member', (odd, named) => {
    const decoded = decodeRun(encodeRun({ ...run, plan: { ...run.plan, ...odd } as RecordedRun['plan'] }))
    expect(decoded).toMatchObject({ ok: false, why: 'incompatible', problem: expect.stringContaining(named) })
  })

  it('whose produced-at times are off by more than 100 days is refused', () => {
    const messages = [{ key: 'k', payload: 1, publishAtMs: 0, stampOffMs: -1e10 }]
    expect(decodeRun(encodeRun({ ...run, plan: { ...run.plan, messages } }))).toMatchObject({
      ok: false,
      why: 'refused',
    })
  })
})
