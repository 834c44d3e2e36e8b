/** How a run is kept to a schedule. The steps of the runner and its clock are fakes. */
import { describe, expect, it } from 'vitest'
import type { Schedule } from '../../../src/contract/results/schedule.ts'
import { type Pass, type Step, stepText } from '../../../src/contract/results/step.ts'
import { LockStepReplayer } from '../../../src/live/lockstep/lock-step-replayer.ts'
import type { OwnTimer } from '../../../src/live/lockstep/own-timers.ts'
import { keyOf } from '../../../src/sim/plans/keys.ts'
import { stepOf } from '../../run/step-of.ts'
import { keyStyles } from './key-styles.ts'

/** Time advances only when nothing else is left to do. */
class Clock {
  #nowMs = 0
  leftOutMs = 0
  #due: { atMs: number; work: () => void }[] = []

  nowMs(): number {
    return this.#nowMs
  }

  leaveOut(ms: number): void {
    this.leftOutMs += ms
    this.#nowMs += ms
  }

  after(delayMs: number, work: () => void): () => void {
    const one = { atMs: this.#nowMs + delayMs, work }
    this.#due.push(one)
    return () => void (this.#due = this.#due.filter((other) => other !== one))
  }

  async run(until: Promise<unknown>): Promise<void> {
    let over = false
    void until.then(() => (over = true))
    for (;;) {
      for (let turn = 0; turn < 5; turn++) await new Promise(setImmediate)
      if (over) return
      const [next] = this.#due.sort((a, b) => a.atMs - b.atMs)
      if (next === undefined) throw new Error('nothing is left that could happen')
      this.#due.shift()
      this.#nowMs = next.atMs
      next.work()
    }
  }
}

/** A step, or its text. */
type Named = string | Step

const asStep = (one: Named): Step => (typeof one === 'string' ? stepOf(one) : one)

interface LabTimes {
  readonly clocked?: readonly Named[]
  /** The lifetimes of keys that had expired, by step. */
  readonly lifetimes?: readonly (readonly [Named, fromMs: number, untilMs: number])[]
}

function lab(
  names: readonly (Named | readonly [Named, number, ...string[]])[],
  { clocked = [], lifetimes = [], ...more }: Partial<Schedule> & LabTimes = {},
  until = names.length,
  vias: readonly number[] = [],
) {
  const steps = names.map((one, seq) => {
    const [name, atMs, ...expired] = typeof one === 'string' || 'kind' in one ? ([one, 0] as const) : one
    const step = asStep(name)
    return {
      step,
      atUs: atMs * 1000,
      seq,
      expired,
      lifetimes: lifetimes
        .filter(([of]) => of === name)
        .map(([, fromMs, untilMs]) => ({ fromUs: fromMs * 1000, untilUs: untilMs * 1000 })),
      wrote: stepText(step).includes('unexecuted SET '),
      clocked: clocked.includes(name),
      server: null,
      ...(vias[seq] === undefined ? {} : { via: vias[seq] }),
    }
  })
  const clock = new Clock()
  const wanted: string[] = []
  const ticking: OwnTimer[] = []
  const first = (process?: string) =>
    ticking.filter((one) => (process ?? one.process) === one.process).sort((a, b) => a.dueUs - b.dueUs)[0] ?? null
  const timers = { first, digested: async () => {} }
  /**
   * The times from which processes are at rest. All other processes are always at rest, and so are
   * steps without a process.
   */
  const busyUntil = new Map<string, number>()
  const rest = {
    of: (process: string) => new Promise<void>((rests) => void clock.after(busyUntil.get(process) ?? 0, rests)),
    ofAll: async () => void (await Promise.all([...busyUntil.keys()].map((process) => rest.of(process)))),
    over: () => {},
    overAll: () => {},
  }
  /** The keys, and when they expire by the clock of Redis. */
  const expiring = new Map<string, number>()
  const looking = { slow: 0 }
  const expireInMs = async (keys: readonly string[]) => {
    const leftMs = Math.max(...keys.map((key) => (expiring.get(key) ?? -1) - clock.nowMs()))
    if (looking.slow > 0) await new Promise<void>((resolve) => clock.after(looking.slow, resolve))
    return leftMs
  }
  const options = {
    expireInMs,
    until,
    timeoutMs: 5000,
    wanted: (step: Step) => void wanted.push(stepText(step)),
    timers,
    rest,
  }
  const replayer = new LockStepReplayer({ steps, draws: [], returns: [], scriptLabels: {}, ...more }, clock, options)
  const taken: string[] = []
  const take = (named: Named) => {
    const step = asStep(named)
    const note = () => void taken.push(`${stepText(step)} at ${clock.nowMs()}`)
    replayer.take(step, note).catch(() => {})
  }
  const left = () => {
    if (replayer.left === null) return null
    const { expected, seen, ...more } = replayer.left
    return { ...more, expected: stepText(expected), seen: seen === null ? null : stepText(seen) }
  }
  /** A timer of a process that is due at that time of the schedule, or a little earlier. */
  const tick = (name: string, dueMs: number, then = () => {}, earliestMs = dueMs, process = 'consumer-1'): void => {
    const fire = () => {
      ticking.splice(ticking.indexOf(one), 1)
      taken.push(`${name} at ${clock.nowMs()}`)
      then()
    }
    const dueUs = dueMs * 1000
    const one = { process, dueUs, wasDueUs: dueUs, earliestUs: earliestMs * 1000, fire }
    ticking.push(one)
  }
  return {
    replayer,
    left,
    clock,
    taken,
    take,
    wanted,
    tick,
    ticking,
    busyUntil,
    expiring,
    looking,
    follow: () => clock.run(replayer.follow()),
  }
}

describe('a run that follows a schedule', () => {
  it.each(keyStyles)('distinguishes a key from one that arrived before it: %s', async (style) => {
    const orders = [1, 2, 3, 4, 5, 6, 7, 8]
    for (const [one, other] of orders.flatMap((one) => orders.slice(one).map((other) => [one, other] as const))) {
      const sent = (order: number): Step => ({ kind: 'effect-sent', process: 'consumer-1', key: keyOf(style, order) })
      const steps: Step[] = [{ kind: 'begin' }, sent(one), sent(other)]
      const { take, taken, follow } = lab(steps)
      for (const step of [...steps].reverse()) take(step)
      await follow()
      expect(taken).toEqual(steps.map((step) => `${stepText(step)} at 0`))
    }
  })

  it('takes steps in the order of the schedule, whatever the order of arrival', async () => {
    const { take, taken, follow, replayer } = lab(['timer 1', 'consumer-2 created', 'consumer-1 created'])
    for (const name of ['consumer-1 created', 'timer 1', 'consumer-2 created']) take(name)
    await follow()
    expect(taken).toEqual(['timer 1 at 0', 'consumer-2 created at 0', 'consumer-1 created at 0'])
    expect(replayer).toMatchObject({ taken: 3, left: null })
  })

  it('takes equal steps of two connections in the order of the scheduled connections', async () => {
    const names = [
      'consumer-1 handshake-answered 1',
      'consumer-1 handshake-answered 2',
      'consumer-1 reply-received BEGIN',
    ]
    const schedule = [...names, names[2]!].map((name, at) => [name, at] as const)
    const { replayer, follow } = lab(schedule, {}, 4, [7, 9, 9, 7])
    const taken: string[] = []
    const take = (name: string, via: string) =>
      replayer.by(via, () => void replayer.take(stepOf(name), () => void taken.push(`${name} by ${via}`)))
    take(names[0]!, 'a')
    take(names[1]!, 'b')
    take(names[2]!, 'a')
    take(names[2]!, 'b')
    await follow()
    expect(taken.slice(2)).toEqual(['consumer-1 reply-received BEGIN by b', 'consumer-1 reply-received BEGIN by a'])
  })

  it('waits for the scheduled connection if another one has arrived before', async () => {
    const [handshakeAnswered, received] = ['consumer-1 handshake-answered 1', 'consumer-1 reply-received BEGIN']
    const { replayer, follow, clock } = lab([handshakeAnswered, received], {}, 2, [7, 7])
    const taken: string[] = []
    const take = (name: string, via: string) =>
      replayer.by(via, () => void replayer.take(stepOf(name), () => void taken.push(`${name} by ${via}`)))
    take(handshakeAnswered, 'a')
    take(received, 'b')
    clock.after(100, () => take(received, 'a'))
    await follow()
    expect(taken).toEqual(['consumer-1 handshake-answered 1 by a', 'consumer-1 reply-received BEGIN by a'])
  })

  it('keeps at least the scheduled interval between steps', async () => {
    const { take, taken, follow } = lab([
      ['timer 1', 5],
      ['timer 2', 35],
      ['timer 3', 335],
    ])
    for (const name of ['timer 3', 'timer 2', 'timer 1']) take(name)
    await follow()
    expect(taken).toEqual(['timer 1 at 0', 'timer 2 at 30', 'timer 3 at 330'])
  })

  it('skips idle time up to the next due step', async () => {
    const { take, taken, tick, follow, clock, replayer } = lab(['begin', ['timer 1', 60_000], ['timer 2', 90_000]])
    for (const name of ['begin', 'timer 1', 'timer 2']) take(name)
    tick('a timer of its own', 10_000)
    await follow()
    expect(taken).toEqual(['begin at 0', 'a timer of its own at 10000', 'timer 1 at 60000', 'timer 2 at 90000'])
    expect([clock.leftOutMs, replayer.pace.lateMs]).toEqual([90_000, 0])
  })

  it('skips no time while a process works, or before a step that reads the clock of Redis', async () => {
    const get = 'consumer-1 command-unexecuted GET a'
    const steps = ['begin', [get, 60_000], ['timer 1', 90_000], ['timer 2', 100_000]] as const
    const { take, follow, clock, busyUntil } = lab(steps, { clocked: [get] })
    for (const name of ['begin', get, 'timer 1', 'timer 2']) take(name)
    busyUntil.set('consumer-1', 25_000)
    await follow()
    // Of the 30 s before the first timer, it works for 25 s. Of the 10 s before the second one, it
    // works all the time.
    expect(clock.leftOutMs).toBe(5_000)
  })

  it('skips time after the life of an expired key, but not during it', async () => {
    const [set, get] = ['consumer-1 command-unexecuted SET a', 'consumer-1 command-unexecuted GET a']
    const steps = ['begin', [set, 10_000], [get, 60_000, 'a']] as const
    const { take, taken, follow, clock, expiring } = lab(steps, { lifetimes: [[get, 10_000, 13_000]] })
    for (const name of ['begin', set, get]) take(name)
    expiring.set('a', 13_000)
    await follow()
    expect(taken).toEqual(['begin at 0', `${set} at 10000`, `${get} at 60000`])
    expect(clock.leftOutMs).toBe(57_000)
  })

  it('has the scheduled time and the scheduled choices', async () => {
    const draws = [{ stream: 'broker', what: 'consumer', n: 3, chosen: 2 }]
    const { take, follow, replayer } = lab([['timer 1', 7]], { draws })
    take('timer 1')
    await follow()
    expect(replayer.nowUs).toBe(7000)
    expect([1, 2].map(() => replayer.chance('broker', 'consumer', 3))).toEqual([2, 0])
  })

  it('recognizes a script by name if a process knows only its hash', async () => {
    const { take, taken, follow } = lab(['consumer-1 command-unsent EVALSHA acquire k'], {
      scriptLabels: { '0123abcd': 'EVALSHA acquire' },
    })
    take('consumer-1 command-unsent EVALSHA 0123abcd k')
    await follow()
    expect(taken).toEqual(['consumer-1 command-unsent EVALSHA 0123abcd k at 0'])
  })

  it('leaves the schedule, and takes no further steps, if a process takes a step that the rest of the schedule does not contain', async () => {
    const { take, taken, follow, left } = lab(['timer 1', 'consumer-1 effect-sent k', 'consumer-1 answered k done'])
    take('timer 1')
    take('consumer-1 answered k retry')
    take('consumer-1 effect-sent k')
    await follow()
    expect(taken).toEqual([])
    expect(left()).toEqual({ step: 1, expected: 'timer 1', seen: 'consumer-1 answered k retry' })
  })

  it('leaves the schedule soon if a process at rest waits with another step, and reports that step', async () => {
    const { take, follow, left, clock } = lab([
      'consumer-1 effect-sent k',
      'consumer-2 created',
      'consumer-1 answered k done',
    ])
    take('consumer-2 created')
    take('consumer-1 answered k done')
    await follow()
    expect(left()).toEqual({
      step: 1,
      expected: 'consumer-1 effect-sent k',
      seen: 'consumer-1 answered k done',
    })
    expect(clock.nowMs()).toBe(2000)
  })

  it('waits for a step of a process that is not at rest, even on a busy machine', async () => {
    const { take, taken, follow, replayer, clock, busyUntil } = lab(['consumer-1 effect-sent k'])
    busyUntil.set('consumer-1', 3000)
    clock.after(2900, () => take('consumer-1 effect-sent k'))
    await follow()
    expect(taken).toEqual(['consumer-1 effect-sent k at 2900'])
    expect(replayer.left).toBeNull()
  })

  it('gives up on a process whose rest is unknown', async () => {
    const { follow, left, clock, busyUntil } = lab(['consumer-1 effect-sent k'])
    busyUntil.set('consumer-1', Number.POSITIVE_INFINITY)
    await follow()
    expect(left()).toMatchObject({ expected: 'consumer-1 effect-sent k', seen: null })
    expect(clock.nowMs()).toBe(5000)
  })

  it('leaves the schedule soon if the harness lacks the timer', async () => {
    const { take, follow, left, clock } = lab(['timer 1', 'timer 2'])
    take('timer 1')
    await follow()
    expect(left()).toEqual({ step: 2, expected: 'timer 2', seen: null })
    expect(clock.nowMs()).toBe(2000)
  })

  it('reports no seen step if the process made none', async () => {
    const { follow, left } = lab(['consumer-1 created'])
    await follow()
    expect(left()).toEqual({ step: 1, expected: 'consumer-1 created', seen: null })
  })

  it('does not leave the schedule for an unscheduled timer or arrival', async () => {
    const { take, follow, replayer } = lab(['timer 1'])
    for (const name of ['timer 2', 'consumer-1 effect-arrived k', 'carried 9', 'timer 1']) take(name)
    await follow()
    expect(replayer.left).toBeNull()
  })

  it('does not leave the schedule for steps after its end', async () => {
    const { take, follow, replayer } = lab(['timer 1', 'timer 2'], {}, 1)
    take('timer 1')
    await follow()
    take('consumer-1 answered k retry')
    expect(replayer).toMatchObject({ taken: 1, left: null })
  })

  it('takes the second of two equal steps if the first was withdrawn', async () => {
    const name = 'consumer-1 command-unexecuted SET k'
    const { replayer, follow } = lab([name])
    const done: string[] = []
    void replayer.take(stepOf(name), () => void done.push('on the connection that closed'))
    replayer.withdraw(stepOf(name))
    void replayer.take(stepOf(name), () => void done.push('sent again'))
    await follow()
    expect(done).toEqual(['sent again'])
  })

  it('waits for the effects of a step before the next one', async () => {
    const { replayer, clock, take, taken, follow } = lab(['timer 1', 'timer 2'])
    void replayer.take(stepOf('timer 1'), () =>
      replayer.hold(new Promise<void>((resolve) => clock.after(40, () => resolve()))),
    )
    take('timer 2')
    await follow()
    expect(taken).toEqual(['timer 2 at 40'])
  })

  it('asks for a due step that has not come', async () => {
    const { take, wanted, follow } = lab(['timer 1', 'consumer-1 effect-settled error k'])
    take('timer 1')
    await follow()
    expect(wanted).toEqual(['consumer-1 effect-settled error k'])
  })

  it('makes up for delays of a busy machine from the start of the plan’s time on', async () => {
    const { take, taken, follow, clock, busyUntil, replayer } = lab([
      ['begin', 10],
      ['consumer-1 answered k done', 20],
      ['timer 1', 60],
      ['timer 2', 160],
    ])
    clock.after(500, () => take('begin'))
    busyUntil.set('begin', 1000)
    busyUntil.set('consumer-1', 1000)
    clock.after(580, () => take('consumer-1 answered k done'))
    for (const name of ['timer 1', 'timer 2']) take(name)
    await follow()
    expect(taken).toEqual(['begin at 500', 'consumer-1 answered k done at 580', 'timer 1 at 580', 'timer 2 at 650'])
    expect(replayer.pace.lateMs).toBe(70)
  })

  it('waits until an expired key of the schedule has expired by the clock of Redis', async () => {
    const { take, taken, follow, expiring } = lab([
      ['begin', 0],
      ['consumer-1 command-unexecuted GET k', 60, 'k'],
      ['consumer-1 command-unexecuted GET l', 61],
    ])
    expiring.set('k', 90)
    expiring.set('l', 1000)
    for (const name of ['begin', 'consumer-1 command-unexecuted GET k', 'consumer-1 command-unexecuted GET l'])
      take(name)
    await follow()
    expect(taken.slice(1)).toEqual([
      'consumer-1 command-unexecuted GET k at 91',
      'consumer-1 command-unexecuted GET l at 91',
    ])
  })

  it('asks Redis again if the answer about the key came late, and continues if the key has expired by then', async () => {
    const name = 'consumer-1 command-unexecuted GET k'
    const { take, taken, follow, expiring, looking, replayer } = lab(['begin', [name, 60, 'k']])
    expiring.set('k', 100)
    looking.slow = 300
    for (const one of ['begin', name]) take(one)
    await follow()
    expect(replayer.left).toBeNull()
    expect(taken).toHaveLength(2)
  })

  describe('with a command that reads the clock of Redis', () => {
    const at = (label: string, key: string): Pass => ({
      ...{ kind: 'pass', process: 'consumer-1', boundary: 'command-unexecuted', hungUp: false },
      ...{ label, key },
    })
    /** When the step with `lease` is taken, which is scheduled at 110 ms. The SET is 60 ms late. */
    const made = async (changed: string, asked: string, isClocked = true, busyMs = 1000) => {
      const [set, get, lease] = [at('SET', changed), at('GET', 'l'), at('EVAL lease', asked)]
      const executed: Pass = { ...set, boundary: 'command-executed' }
      const names = ['begin', [set, 10], [executed, 10], [get, 100], [lease, 110]] as const
      const { take, taken, follow, clock, busyUntil } = lab(names, { clocked: isClocked ? [lease] : [] })
      take('begin')
      busyUntil.set('consumer-1', busyMs)
      clock.after(50, () => take(set))
      clock.after(70, () => take(executed))
      for (const step of [get, lease]) take(step)
      await follow()
      expect(taken[3]).toBe('consumer-1 command-unexecuted GET l at 100')
      expect(clock.leftOutMs).toBe(0)
      return taken[4]!.replace(stepText(lease), 'it')
    }

    it('keeps at least the scheduled interval since the last change of its key', async () => {
      expect(await made('k', 'k')).toBe('it at 170')
      expect(await made('lock:order 1', 'lock:order 1')).toBe('it at 170')
    })

    it('skips no time of that interval, even if every process is at rest', async () => {
      expect(await made('k', 'k', true, 0)).toBe('it at 170')
    })

    it('makes up for delays before other commands, which only find expired keys', async () => {
      expect(await made('k', 'k', false)).toBe('it at 110')
    })

    it('makes up for delays of another key, even if both end with the same word', async () => {
      expect(await made('lock:order 1', 'result:order 1')).toBe('it at 110')
    })
  })

  it('leaves the schedule if Redis keeps a key that should have expired', async () => {
    const { take, taken, follow, expiring, left, clock } = lab([
      'begin',
      ['consumer-1 command-unexecuted GET k', 60, 'k'],
    ])
    expiring.set('k', 15_000)
    for (const name of ['begin', 'consumer-1 command-unexecuted GET k']) take(name)
    await follow()
    expect(taken).toEqual(['begin at 0'])
    const expected = 'consumer-1 command-unexecuted GET k'
    expect(left()).toEqual({ step: 2, expected, seen: 'k had not expired' })
    expect(clock.nowMs()).toBeLessThan(200)
  })

  it('continues at once with a command whose connection closed while it waited', async () => {
    const name = 'consumer-1 command-unexecuted DEL k'
    const { take, taken, follow, replayer, clock, busyUntil } = lab(['begin', [`${name} (hung up)`, 10]])
    busyUntil.set('consumer-1', 1000)
    take('begin')
    take(name)
    clock.after(20, () => replayer.hangUp(stepOf(name)))
    await follow()
    expect(taken).toEqual(['begin at 0', `${name} at 20`])
  })

  it('fires a timer of a process by the schedule, not by the machine', async () => {
    const { take, tick, taken, clock, follow, busyUntil } = lab([
      ['begin', 0],
      ['consumer-1 reply-received GET', 40],
      ['consumer-1 answered k done', 60],
    ])
    take('begin')
    tick('heartbeat', 50)
    busyUntil.set('consumer-1', 500)
    clock.after(200, () => take('consumer-1 reply-received GET'))
    take('consumer-1 answered k done')
    await follow()
    expect(taken).toEqual([
      'begin at 0',
      'consumer-1 reply-received GET at 200',
      'heartbeat at 200',
      'consumer-1 answered k done at 200',
    ])
  })

  it('orders two timers of one process by the schedule', async () => {
    const { take, tick, taken, follow } = lab([
      ['timer 1', 0],
      ['timer 2', 60],
    ])
    tick('second', 51)
    tick('first', 50)
    for (const name of ['timer 1', 'timer 2']) take(name)
    await follow()
    expect(taken.slice(1, 3)).toEqual(['first at 50', 'second at 51'])
  })

  it('holds a timer that no step needs', async () => {
    const { take, tick, taken, follow } = lab(['timer 1', ['timer 2', 60]])
    tick('time limit', 500)
    for (const name of ['timer 1', 'timer 2']) take(name)
    await follow()
    expect(taken).toEqual(['timer 1 at 0', 'timer 2 at 60'])
  })

  it('takes a step before a timer of the same moment, unless the timer causes it', async () => {
    const { take, tick, taken, follow } = lab(['timer 1', ['timer 2', 50], ['consumer-1 command-unsent GET', 50]])
    tick('heartbeat', 50, () => take('consumer-1 command-unsent GET'))
    for (const name of ['timer 1', 'timer 2']) take(name)
    await follow()
    expect(taken.slice(1)).toEqual(['timer 2 at 50', 'heartbeat at 50', 'consumer-1 command-unsent GET at 50'])
  })

  it('fires timers that became due during a pause before later events', async () => {
    const { replayer, take, ticking, taken, follow } = lab(['timer 1', ['timer 2', 70], ['turn 1', 90], ['turn 2', 90]])
    const fire = () => {
      ticking.splice(0)
      taken.push('heartbeat')
    }
    ticking.push({ process: 'consumer-1', dueUs: 90_000, wasDueUs: 50_000, earliestUs: 50_000, fire })
    replayer.ask(stepOf('turn 1'))
    void replayer.take(stepOf('timer 2'), () => void replayer.ask(stepOf('turn 2')))
    for (const name of ['timer 1', 'turn 1', 'turn 2']) take(name)
    await follow()
    expect(taken).toEqual(['timer 1 at 0', 'turn 1 at 90', 'heartbeat', 'turn 2 at 90'])
  })

  it('fires a timer early if only it can cause the next step', async () => {
    const { take, tick, taken, follow, replayer } = lab(['timer 1', ['consumer-1 command-unsent GET', 50]])
    tick('connects again', 53, () => take('consumer-1 command-unsent GET'), 47)
    take('timer 1')
    await follow()
    expect(taken).toEqual(['timer 1 at 0', 'connects again at 50', 'consumer-1 command-unsent GET at 50'])
    expect(replayer.left).toBeNull()
  })

  it('waits for a timer that is due late if only it can cause the next step', async () => {
    const { take, tick, taken, follow, replayer } = lab(['timer 1', ['consumer-1 command-unsent GET', 50]])
    tick('connects again', 180, () => take('consumer-1 command-unsent GET'))
    tick('of another process', 100, () => {}, 100, 'consumer-2')
    take('timer 1')
    await follow()
    expect(taken).toEqual(['timer 1 at 0', 'connects again at 180', 'consumer-1 command-unsent GET at 180'])
    expect(replayer.left).toBeNull()
  })

  it('waits no longer than its timeout, however many timers the process has', async () => {
    const { take, tick, follow, left, clock } = lab(['timer 1', ['consumer-1 command-unsent GET', 50]])
    const again = (ms: number): void => void tick('polls', ms, () => again(ms + 1000))
    again(100)
    take('timer 1')
    await follow()
    expect(left()).toEqual({ step: 2, expected: 'consumer-1 command-unsent GET', seen: null })
    expect(clock.nowMs()).toBeGreaterThan(4000)
    expect(clock.nowMs()).toBeLessThan(5100)
  })

  it('does not wait for a timer that is due after its timeout', async () => {
    const { take, tick, follow, left, clock } = lab(['timer 1', ['consumer-1 command-unsent GET', 50]])
    tick('time limit', 30_000)
    take('timer 1')
    await follow()
    expect(left()).toMatchObject({ step: 2, seen: null })
    expect(clock.nowMs()).toBe(2050)
  })

  it('fires a timer that is late by the delay of the machine', async () => {
    const { clock, take, tick, taken, follow, busyUntil } = lab([
      ['begin', 0],
      ['consumer-2 created', 30],
      ['consumer-1 command-unsent GET', 50],
    ])
    take('begin')
    busyUntil.set('consumer-2', 500)
    clock.after(45, () => take('consumer-2 created'))
    tick('lease', 60, () => take('consumer-1 command-unsent GET'))
    await follow()
    expect(taken).toEqual([
      'begin at 0',
      'consumer-2 created at 45',
      'lease at 50',
      'consumer-1 command-unsent GET at 50',
    ])
  })

  it('if a process has hung up, takes its command as the `(hung up)` step of the schedule', async () => {
    const name = 'consumer-1 command-unexecuted SET k'
    const { replayer, follow } = lab([name, `${name} (hung up)`])
    const done: string[] = []
    for (const connection of ['first', 'second']) {
      void replayer.take(stepOf(name), () => void done.push(connection))
      if (connection === 'first') replayer.hangUp(stepOf(name))
    }
    await follow()
    expect(done).toEqual(['second', 'first'])
  })

  it('takes no command of a process that has hung up unless the schedule executes it', async () => {
    const name = 'consumer-1 command-unexecuted SET k'
    const { replayer, follow } = lab([name])
    const done: string[] = []
    void replayer.take(stepOf(name), () => void done.push('on the connection that it closed'))
    replayer.hangUp(stepOf(name))
    void replayer.take(stepOf(name), () => void done.push('sent again'))
    await follow()
    expect(done).toEqual(['sent again'])
  })

  it('leaves the schedule if what it waits for never comes', async () => {
    const { replayer, left, take, follow } = lab(['timer 1', 'timer 2'])
    void replayer.take(stepOf('timer 1'), () => replayer.hold(new Promise(() => {})))
    take('timer 2')
    await follow()
    expect(left()).toMatchObject({ step: 2, expected: 'timer 2' })
  })
})
