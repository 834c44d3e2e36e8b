import { describe, expect, it } from 'vitest'
import { type Boundary, boundaries } from '../../../src/contract/api/plan.ts'
import { done, layer, nowMs, play, sleep, withAndWithout } from '../../sim/world-lab.ts'

/** One command, one effect, one answer. Records how far each process got. */
function stepwise() {
  const steps: string[] = []
  const adapter = () =>
    layer(async ({ key, payload }, redis, { instanceId, sink }) => {
      const step = (name: string) => steps.push(`${instanceId} ${name}`)
      step('begins')
      await redis.incr('n')
      step('counted')
      await sink.perform({ key, payload })
      step('performed')
      return done
    })
  return { adapter, steps }
}

/** How far the killed process gets, and how often its INCR is executed and its effect applied. */
const crashes: Record<Boundary, readonly [last: string | null, incremented: number, applied: number]> = {
  'delivery-received': [null, 0, 0],
  'command-unsent': ['begins', 0, 0],
  'command-unexecuted': ['begins', 1, 0],
  'command-executed': ['begins', 1, 0],
  'reply-received': ['begins', 1, 0],
  'effect-unsent': ['counted', 1, 0],
  'effect-unapplied': ['counted', 1, 1],
  'effect-applied': ['counted', 1, 1],
  'effect-answered': ['counted', 1, 1],
  answered: ['performed', 1, 1],
  acknowledged: ['performed', 1, 1],
}

describe('crash', () => {
  it.each(boundaries)('at %s stops the process, executes what it had sent, and starts a successor', async (at) => {
    const { adapter, steps } = stepwise()
    const fault = { kind: 'crash', when: { at, consumer: 0, nth: 1 }, healAfterMs: 300 } as const
    const [last, incremented, applied] = crashes[at]
    const { struck, spared } = await withAndWithout(adapter, fault)
    const ofVictim = steps.slice(0, -3).filter((step) => step.startsWith('consumer-1 '))
    expect(ofVictim.at(-1) ?? null).toBe(last && `consumer-1 ${last}`)
    const byVictim = <T extends { process: string }>(events: T[]) =>
      events.filter(({ process }) => process === 'consumer-1')
    expect(byVictim(struck.of('command')).filter(({ command }) => command === 'incr n')).toHaveLength(incremented)
    expect(byVictim(struck.of('effect-applied'))).toHaveLength(applied)
    expect(struck.of('process-ended')).toMatchObject([{ process: 'consumer-1', how: 'crashed' }])
    expect(struck.of('fault-struck')[0]).toMatchObject({ process: 'consumer-1', boundary: at })
    expect(struck.of('fault-healed')).toMatchObject([{ sentence: 'consumer-1.2 replaces consumer-1' }])
    expect(struck.of('process-started').map(({ process }) => process)).toEqual(['consumer-1', 'consumer-1.2'])
    expect(struck.of('settled')).toMatchObject([{ as: 'done' }])
    // A message whose answer had reached the broker is not delivered again.
    expect(struck.of('delivered')).toHaveLength(at === 'acknowledged' ? 1 : 2)
    expect(spared.of('process-ended')).toEqual([])
  })

  it('without healing leaves its slot empty, and the run unfinished', async () => {
    const { adapter } = stepwise()
    const fault = { kind: 'crash', when: { at: 'time', ms: 1 }, consumer: 0 } as const
    const { struck, spared } = await withAndWithout(adapter, fault)
    expect(struck.of('process-started')).toHaveLength(1)
    expect(struck.of('ended')).toMatchObject([
      { complete: false, why: 'no event is left, but messages are still open' },
    ])
    expect(spared.of('ended')).toMatchObject([{ complete: true }])
  })

  it('strikes the process of the step: a late effect of a dead process does not kill the successor', async () => {
    const { adapter } = stepwise()
    const early = { kind: 'crash', when: { at: 'effect-unapplied', consumer: 0, nth: 1 }, healAfterMs: 1 } as const
    const late = { kind: 'crash', when: { at: 'effect-applied', consumer: 0, nth: 1 }, healAfterMs: 1 } as const
    const { of } = await play(adapter(), { effectMs: 200, faults: [early, late] })
    expect(of('effect-applied')[0]).toMatchObject({ process: 'consumer-1' })
    expect(of('process-ended')).toMatchObject([{ process: 'consumer-1' }])
    expect(of('fault-struck')).toHaveLength(1)
  })
})

describe('pause', () => {
  it('at effect-unsent holds the request until the process resumes', async () => {
    const { adapter } = stepwise()
    const fault = { kind: 'pause', when: { at: 'effect-unsent', consumer: 0, nth: 1 }, healAfterMs: 3000 } as const
    const { struck, spared } = await withAndWithout(adapter, fault)
    const at = (played: typeof struck, type: 'effect-sent' | 'effect-applied') => played.of(type)[0]!.atUs
    expect(at(struck, 'effect-applied') - at(struck, 'effect-sent')).toBeGreaterThan(3_000_000)
    expect(at(spared, 'effect-applied') - at(spared, 'effect-sent')).toBeLessThan(100_000)
    expect(struck.of('process-paused')).toHaveLength(1)
    expect(struck.of('process-resumed')[0]!.atUs).toBeLessThan(at(struck, 'effect-applied'))
    expect(struck.of('fault-healed')).toMatchObject([{ sentence: 'consumer-1 goes on' }])
  })

  it('holds timers, and lets deliveries time out', async () => {
    const woken: number[] = []
    const adapter = () =>
      layer(async () => {
        await sleep(100)
        woken.push(nowMs())
        return done
      })
    const fault = { kind: 'pause', when: { at: 'time', ms: 50 }, consumer: 0, healAfterMs: 7000 } as const
    const { struck } = await withAndWithout(adapter, fault)
    // The second delivery came during the pause.
    expect(woken).toEqual([7050, 7150, expect.closeTo(101, -1)])
    expect(struck.of('delivery-timed-out')).toHaveLength(1)
  })

  it('does not strike a paused process, and does not heal a dead one', async () => {
    const { adapter } = stepwise()
    const pause = (ms: number, healAfterMs: number) =>
      ({ kind: 'pause', when: { at: 'time', ms }, consumer: 0, healAfterMs }) as const
    const crash = { kind: 'crash', when: { at: 'time', ms: 300 }, consumer: 0, healAfterMs: 1 } as const
    const { of } = await play(adapter(), { faults: [pause(1, 1000), pause(100, 100), crash] })
    expect(of('fault-struck').map(({ fault }) => fault)).toEqual(['pause', 'crash'])
    expect(of('process-resumed')).toEqual([])
    expect(of('fault-healed').at(-1)!.sentence).toBe('consumer-1 ended before it could go on')
  })
})

describe('poison', () => {
  const fault = { kind: 'poison', when: { at: 'time', ms: 0 }, message: 0, times: 2 } as const

  it('kills as many processes as planned, each of which is restarted', async () => {
    const { adapter } = stepwise()
    const { struck, spared } = await withAndWithout(adapter, { ...fault, how: 'kills' }, { effectMs: 100 })
    expect(struck.of('fault-struck')[0]!.sentence).toBe(
      'the message for order-1 is poison: it kills the consumers that handle it, 2 times',
    )
    expect(struck.of('process-ended')).toMatchObject([
      { process: 'consumer-1', how: 'died', error: 'Error: killed by a poisonous message' },
      { process: 'consumer-1.2', how: 'died' },
    ])
    expect(struck.of('settled')).toMatchObject([{ as: 'done' }])
    expect(spared.of('process-ended')).toEqual([])
  })

  it('makes the sink fail as often as planned', async () => {
    const { adapter } = stepwise()
    const { struck, spared } = await withAndWithout(adapter, { ...fault, how: 'sink-fails' })
    expect(struck.of('threw')).toHaveLength(2)
    expect(struck.of('threw')[0]!.error).toBe('SinkUnavailable: 502 from the sink')
    expect([struck.of('effect-applied'), spared.of('effect-applied')]).toMatchObject([[{}], [{}]])
    expect(spared.of('threw')).toEqual([])
  })

  it('does all of its harm if it strikes twice for one key', async () => {
    const { adapter } = stepwise()
    const { of } = await play(adapter(), {
      maxAttempts: 20,
      faults: [
        { ...fault, how: 'sink-fails' },
        { ...fault, how: 'sink-fails', times: 1 },
        { ...fault, how: 'kills', times: 1 },
      ],
    })
    expect(of('effect-sent').length - of('effect-applied').length).toBeGreaterThanOrEqual(3)
    expect(of('process-ended')).toHaveLength(1)
  })

  it('kills no other process if a crash has already ended its own', async () => {
    const { adapter } = stepwise()
    const crash = { kind: 'crash', when: { at: 'delivery-received', consumer: 0, nth: 1 }, healAfterMs: 1 } as const
    const { of } = await play(adapter(), { faults: [{ ...fault, how: 'kills', times: 1 }, crash], effectMs: 400 })
    expect(of('process-ended').map(({ process, how }) => `${process} ${how}`)).toEqual([
      'consumer-1 crashed',
      'consumer-1.2 died',
    ])
  })
})
