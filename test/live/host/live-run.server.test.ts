import { readdirSync, readFileSync } from 'node:fs'
import { expect, it, vi } from 'vitest'
import { judge } from '../../../src/check/index.ts'
import type { LiveRunRequest } from '../../../src/live/host/run-request.ts'
import { LockStepReplayer } from '../../../src/live/lockstep/lock-step-replayer.ts'
import { stepOf } from '../../run/step-of.ts'
import { chanceFrom, describeLive, factsOf, whereverAt } from '../lab.ts'

const commandsOf = (run: Parameters<typeof factsOf>[0]) =>
  run.history.events.flatMap((event) =>
    event.type === 'command' ? [`${event.command.split(' ')[0]} ${event.reply}`] : [],
  )

describeLive('a live run', (lab) => {
  it('has the facts of a simulated one, from published to ended, with one effect', async () => {
    const run = await lab.run('reference', {})
    const types = new Set(run.history.events.map(({ type }) => type))
    for (const type of [
      'published',
      'delivered',
      'effect-sent',
      'effect-applied',
      'effect-answered',
      'answered',
      'settled',
    ])
      expect(types).toContain(type)
    expect(factsOf(run, 'settled').map(({ as }) => as)).toEqual(['done'])
    expect(factsOf(run, 'effect-applied')).toHaveLength(1)
    expect(run.history.events.at(-1)).toMatchObject({ type: 'ended', complete: true })
    expect(run.history.events.map(({ seq }) => seq)).toEqual(run.history.events.map((_, at) => at))
    expect(judge(run.history, ['no-needless-park', 'at-most-once']).map(({ verdict }) => verdict.verdict)).toEqual([
      'valid',
      'valid',
    ])
  })

  it('counts keys without expiry from its messages, but not from its deployment', async () => {
    const counted = async (adapter: string, deploys: boolean) => {
      const run = await lab.run(adapter, {}, { deploys })
      return factsOf(run, 'keys-counted')
    }
    const deployed = await counted('reference', true)
    expect(deployed).toMatchObject([{ withoutExpiry: 0, namesWithoutExpiry: [] }])
    expect(deployed[0]).not.toHaveProperty('maySweep')
    // Without a deployment, the layer writes the generation itself.
    expect(await counted('reference', false)).toMatchObject([{ withoutExpiry: 1, maySweep: 'live' }])
  })

  it('kills a process between effect and answer, and a successor gets the message again', async () => {
    const faults = whereverAt('crash', 'effect-applied', { healAfterMs: 50 }).slice(0, 2)
    const run = await lab.run('001-get-set', { faults })
    expect(factsOf(run, 'process-ended').every(({ how }) => how === 'crashed')).toBe(true)
    expect(factsOf(run, 'process-started').map(({ process }) => process)).toContain('consumer-1')
    const [verdict] = judge(run.history, ['at-most-once'])
    const violations = verdict?.verdict.verdict === 'violated' ? verdict.verdict.violations : []
    expect(new Set(violations.map(({ kind }) => kind))).toEqual(new Set(['repeat-after-crash']))
  })

  it('delivers messages that became ready without a consumer to the next one', async () => {
    const faults = whereverAt('crash', 'delivery-received', { healAfterMs: 200 }).slice(0, 1)
    const plan = { faults, consumers: 1, visibilityMs: 100 }
    // With some of these seeds, the broker redelivers messages of a dead consumer at once, with
    // others after the time-out.
    for (const seed of [1, 2, 3, 4]) {
      const run = await lab.run('reference', plan, { chance: chanceFrom(seed) })
      expect(factsOf(run, 'settled').map(({ as }) => as)).toEqual(['done'])
      expect(run.history.events.at(-1)).toMatchObject({ type: 'ended', complete: true })
    }
  })

  it('kills a process before it sends its GET, which Redis never receives', async () => {
    const faults = whereverAt('crash', 'command-unsent')
    const run = await lab.run('001-get-set', { faults: [faults[0]!], consumers: 1, visibilityMs: 300, maxAttempts: 1 })
    expect(factsOf(run, 'fault-struck').map(({ sentence }) => sentence)).toEqual([
      'consumer-1 is killed before it sends GET',
    ])
    expect(commandsOf(run)).toEqual([])
    expect(factsOf(run, 'effect-sent')).toEqual([])
  })

  it('kills a process after its GET was executed, and counts the crash point as struck', async () => {
    const faults = whereverAt('crash', 'command-executed', { healAfterMs: 50 })
    const run = await lab.run('001-get-set', { faults: [faults[0]!], consumers: 1 })
    expect(factsOf(run, 'fault-struck').map(({ sentence }) => sentence)).toEqual([
      'consumer-1 is killed after its GET executed, before the reply comes back',
    ])
    expect(run.cells).toEqual(['command-executed GET, lease live'])
  })

  it('loses a reply after the command was executed: a repeated SET NX finds its own mark', async () => {
    const run = await lab.run('000-set-nx-marker', { faults: whereverAt('lost-reply', 'command-executed') })
    expect(factsOf(run, 'reply-lost').length).toBeGreaterThan(0)
    expect(factsOf(run, 'effect-applied')).toEqual([])
    expect(judge(run.history, ['no-false-done'])[0]?.verdict.verdict).toBe('violated')
  })

  it('loses a request before it is executed: the repeated SET NX takes the mark', async () => {
    const run = await lab.run('000-set-nx-marker', { faults: whereverAt('lost-request', 'command-unexecuted') })
    expect(factsOf(run, 'request-lost').length).toBeGreaterThan(0)
    expect(factsOf(run, 'effect-applied')).toHaveLength(1)
  })

  it('pauses a process for longer than its lease, and resumes it', async () => {
    const faults = whereverAt('pause', 'effect-unsent', { healAfterMs: 600 })
    const run = await lab.run('reference', { faults, leaseMs: 200, visibilityMs: 200 })
    const [paused] = factsOf(run, 'process-paused')
    const resumed = factsOf(run, 'process-resumed').find(({ process }) => process === paused?.process)
    expect(resumed!.atUs - paused!.atUs).toBeGreaterThanOrEqual(590_000)
    expect(judge(run.history, ['at-most-once'])[0]?.verdict.verdict).toBe('valid')
  })

  it('cuts one consumer off from the sink, and its request arrives when the cut ends', async () => {
    const faults = whereverAt('partition', 'effect-unsent', { node: 'sink', way: 'to-node', healAfterMs: 700 })
    const run = await lab.run('reference', { faults, consumers: 1, effectTimeoutMs: 400 })
    const [healed] = factsOf(run, 'fault-healed')
    expect(factsOf(run, 'effect-answered')[0]).toMatchObject({ answer: 'error' })
    const [applied] = factsOf(run, 'effect-applied')
    expect(applied!.atUs).toBeGreaterThan(healed!.atUs - 50_000)
  })

  it('restarts Redis empty, and records the loss', async () => {
    // The first message is done by then, even on a slow machine.
    const when = { at: 'acknowledged' as const, consumer: 0, nth: 1 }
    const faults = [{ kind: 'redis-restart', when, healAfterMs: 100 }]
    const messages = [0, 500].map((publishAtMs, at) => ({ key: `order-${at}`, payload: at, publishAtMs }))
    const run = await lab.run('001-get-set', { faults, messages, consumers: 1 })
    expect(factsOf(run, 'data-lost')).toMatchObject([{ cause: 'restart', redisKeys: ['idempotency:order-0'] }])
    expect(factsOf(run, 'effect-applied')).toHaveLength(2)
  })

  it('shifts the clock of one consumer, and records by how much', async () => {
    const faults = [
      { kind: 'clock-step', when: { at: 'time' as const, ms: 0 }, machine: 0, byMs: 3_600_000, healAfterMs: 300 },
    ]
    const run = await lab.run('000-lua-acquire', {
      faults,
      consumers: 1,
      messages: [{ key: 'k', payload: 1, publishAtMs: 100 }],
    })
    expect(run.clocks).toMatch(/libfaketime|shifted Date/)
    const [acquire] = run.history.events.filter((event) => event.type === 'command')
    const stamped = /started_at":"([^"]+)"/.exec(JSON.stringify(acquire).replaceAll('\\', ''))?.[1]
    expect(Date.parse(stamped!) - Date.now()).toBeGreaterThan(3_500_000)
  })

  it('lists unsupported faults, and plays the others', async () => {
    const faults = [
      ...whereverAt('error-reply', 'command-unexecuted', { error: 'OOM' }).slice(0, 1),
      { kind: 'late-copy', when: { at: 'time' as const, ms: 0 }, message: 0, healAfterMs: 86_400_000 },
      { kind: 'duplicate-delivery', when: { at: 'time' as const, ms: 50 }, message: 0 },
    ]
    const run = await lab.run('reference', { faults })
    expect(run.notMade.map(({ fault }) => fault)).toEqual(['error-reply', 'late-copy'])
    expect(factsOf(run, 'fault-struck').map(({ fault }) => fault)).toEqual(['duplicate-delivery'])
  })

  it('reports that the machine was too slow if a timer was later than the margin, and only then', async () => {
    expect((await lab.run('reference', {}, { marginMs: 0 })).unfit).toMatch(/^the machine was too slow: a timer of/)
    expect((await lab.run('reference', {})).unfit).toBeNull()
  })

  it('ends if `create` never settles, and reports the consumer', async () => {
    await expect(lab.run('never-created', {}, { longestMs: 1500 })).rejects.toThrow(
      'never-created: its `create` not settled in consumer-2 within 1500 ms, the limit of a live run',
    )
    expect(processesOf(lab.directory.folder)).toEqual([])
  })

  it('does not follow its schedule if it has failed while its consumers were loading', async () => {
    const follow = vi.spyOn(LockStepReplayer.prototype, 'follow')
    let asked = 0
    const stopped = () => {
      if (++asked === 2) throw new Error('nobody knows')
      return false
    }
    const run = lab.run('reference', {}, { follows: bySchedule('begin'), deploys: false, stopped })
    await expect(run).rejects.toThrow('nobody knows')
    expect(follow).not.toHaveBeenCalled()
    follow.mockRestore()
  })

  it('follows no schedule on a user’s server, where commands need a prefix', async () => {
    const startServers = async () => {
      throw new Error('it was touched')
    }
    const environment = { ...lab.environment, keyPrefix: 'onceproof:1:', startServers }
    const made = lab.run('reference', {}, { follows: bySchedule('begin'), environment })
    await expect(made).rejects.toThrow('a run with a schedule needs its own servers')
    await expect(lab.run('reference', {}, { environment })).rejects.toThrow('it was touched')
  })

  it('ends if it does not finish its schedule, whatever the timeouts of the steps', async () => {
    const follows = bySchedule('begin', 'consumer-1 created', ['timer 99', 60_000_000])
    const run = await lab.run('never-created', {}, { follows, longestMs: 2000 })
    const why = 'it did not finish its schedule within 2000 ms'
    expect(run.history.events.at(-1)).toMatchObject({ type: 'ended', complete: false, why })
    expect(run.followed).toMatchObject({ taken: 2, of: 3, left: null })
  })

  it('shows the source line of an error, although consumers read no source map', async () => {
    const run = await lab.run('prints-stack', {})
    const printed = run.history.events.flatMap((event) => (event.type === 'log' ? [event.text] : []))
    expect(printed).toContainEqual(expect.stringMatching(/^ +at .*test\/live\/adapters\/prints-stack\.ts:\d+:\d+/))
    expect(printed.join()).not.toContain('prints-stack.cjs')
  })

  it('ends a run that does not come to rest, and leaves no process behind', async () => {
    const run = await lab.run('reference', { faults: whereverAt('crash', 'delivery-received') }, { longestMs: 800 })
    const why = 'it did not finish within 800 ms'
    expect(run.history.events.at(-1)).toMatchObject({ type: 'ended', complete: false, why })
    expect(processesOf(lab.directory.folder)).toEqual([])
  })
})

/** A schedule of these steps. Those without a time come at once. */
const bySchedule = (
  ...named: readonly (string | readonly [string, number])[]
): NonNullable<LiveRunRequest['follows']> => {
  const steps = named.map((one, seq) => {
    const [name, atUs] = typeof one === 'string' ? [one, 0] : one
    return { step: stepOf(name), atUs, seq, expired: [], wrote: false, clocked: false, server: null }
  })
  return { schedule: { steps, draws: [], returns: [], scriptLabels: {} }, until: steps.length }
}

/** All processes with the folder in their environment, except this one. */
function processesOf(folder: string): string[] {
  return readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name) && Number(name) !== process.pid)
    .filter((pid) => {
      try {
        return readFileSync(`/proc/${pid}/environ`, 'latin1').includes(folder)
      } catch {
        return false
      }
    })
}
