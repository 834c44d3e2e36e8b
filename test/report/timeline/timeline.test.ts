import { describe, expect, it } from 'vitest'
import type { RunTrace } from '../../../src/contract/results/run-trace.ts'
import type { Bar, Timeline } from '../../../src/contract/results/timeline.ts'
import { reportStory } from '../../../src/report/story.ts'
import { bandKinds, reportedOtherwise } from '../../../src/report/timeline/bands.ts'
import { drawPassing, drawViolation } from '../../../src/report/timeline/timeline-of.ts'
import { faults } from '../../../src/run/faults/index.ts'
import { aRun } from '../../check/history-builder.ts'
import { lockedRun, ms, runTraceOf, violationIn } from './made-up-run.ts'

function drawn(changes: Partial<RunTrace> = {}): Timeline {
  const history = lockedRun()
  const violation = violationIn(history)
  return drawViolation({ history, runTrace: runTraceOf(history, changes) }, violation, reportStory(history, violation))
}
const barsOf = ({ bars }: Timeline, kind: Bar['kind']) => bars.filter((bar) => bar.kind === kind)
const spans = (bars: readonly Bar[]) => bars.map(({ lane, fromUs, untilUs }) => [lane, fromUs / 1000, untilUs / 1000])

describe('the timeline of a run', () => {
  it('has a lane for the broker, each consumer slot, each server and the sink', () => {
    expect(drawn().lanes.map(({ name, kind }) => `${kind} ${name}`)).toEqual([
      'broker broker',
      'consumer consumer-1',
      'consumer consumer-2',
      'redis redis',
      'sink sink',
    ])
  })

  it('has a lane for each store beside Redis, and none for a Redis that nobody has', () => {
    const { lanes } = drawn({ servers: [], stores: ['postgres'], commands: [], keys: [], roles: [] })
    expect(lanes.map(({ name, kind }) => `${kind} ${name}`).slice(3)).toEqual(['store postgres', 'sink sink'])
  })

  it('tells the answer of a command apart, however long the command is', () => {
    const commands = drawn().events.filter(({ command }) => command !== undefined)
    expect(commands.length).toBeGreaterThan(0)
    for (const { text, reply, answer } of commands) {
      expect(answer).toBe(reply)
      expect(text.endsWith(`: ${answer}`)).toBe(true)
    }
  })

  it('begins the message of an effect at the event that sends it', () => {
    const { events, messages } = drawn()
    const effects = messages.filter(({ kind }) => kind === 'effect')
    expect(effects).toHaveLength(2)
    for (const { fromSeq, seq } of effects) {
      expect(fromSeq).toBeLessThan(seq)
      expect(events[fromSeq!]!.text).toContain('calls the sink')
    }
  })

  it('has every event, by its number; those of the story in its words, in order, and an attempt in a row for each arrow', () => {
    const history = lockedRun()
    const { events } = drawn()
    expect(events.map(({ seq }) => seq)).toEqual(history.events.map(({ seq }) => seq))
    const rows = events.flatMap(({ reported, text }) => (reported ? [text] : []))
    const timed = reportStory(history, violationIn(history)).filter((line) => / ms {2}/.test(line))
    const reported = timed.map((line) => line.replace(/^ *[\d.]+ ms {2}/, ''))
    const inRows = (text: string) => {
      const [, attempt, command] = /^m1, attempt (\d): (.*)$/.exec(text) ?? []
      return command === undefined ? [text] : [`m1 is handed to consumer-${attempt} (attempt ${attempt})`, command]
    }
    expect(rows).toEqual(reported.flatMap(inRows))
    expect(rows.length).toBe(reported.length + 2)
    expect(events.filter((event) => !event.reported).length).toBeGreaterThan(0)
  })

  it('counts the effects of a key, and marks the second and what shows the violation', () => {
    const effects = drawn().events.filter(({ effect }) => effect !== undefined)
    expect(effects.map(({ tone, effect, shows }) => [tone, effect, shows])).toEqual([
      ['effect', 1, true],
      ['repeat', 2, true],
    ])
  })

  it('has both messages of a command, and breaks off what never arrived', () => {
    const { messages } = drawn()
    const first = messages.filter(
      ({ kind, from, to }) => (kind === 'request' && from === 1) || (kind === 'reply' && to === 1),
    )
    expect(first.map(({ kind, sentUs, arrivedUs }) => [kind, sentUs / 1000, arrivedUs! / 1000])).toEqual([
      ['request', 2, 3],
      ['reply', 3, 3.5],
    ])
    const history = lockedRun()
    const [set] = runTraceOf(history).commands
    const lost = (command: object) =>
      drawn({ commands: [{ ...set!, ...command }], keys: [] }).messages.filter(
        ({ kind }) => kind === 'request' || kind === 'reply',
      )
    expect(lost({ repliedUs: null, lostUs: ms(4) }).map(({ kind, arrivedUs }) => [kind, arrivedUs])).toEqual([
      ['request', ms(3)],
      ['reply', null],
    ])
    expect(
      lost({ executedUs: null, seq: null, repliedUs: null, lostUs: ms(4) }).map(({ kind, arrivedUs }) => [
        kind,
        arrivedUs,
      ]),
    ).toEqual([['request', null]])
  })

  it('has the effects on their way to the sink, from when the caller sent them', () => {
    const effects = drawn().messages.filter(({ kind }) => kind === 'effect')
    expect(effects.map(({ from, to, sentUs, arrivedUs }) => [from, to, sentUs / 1000, arrivedUs! / 1000])).toEqual([
      [2, 4, 205, 210],
      [1, 4, 2004, 2010],
    ])
  })

  it('has a band for a fault that lasts, over whom it befalls, and none for a run without it', () => {
    expect(drawn().bands).toMatchObject([{ kind: 'pause', lanes: [1], fromUs: ms(4), untilUs: ms(2004) }])
    const calm = lockedRun(false)
    expect(drawPassing({ history: calm, runTrace: runTraceOf(calm) }, 'k1').bands).toEqual([])
  })

  it('knows the faults by the names that they have', () => {
    expect([...Object.keys(bandKinds), ...reportedOtherwise].filter((kind) => !faults.has(kind))).toEqual([])
  })

  it('shows a record for as long as the server keeps it, by whom it was written', () => {
    expect(spans(barsOf(drawn(), 'record'))).toEqual([
      [3, 3, 103],
      [3, 203, 303],
    ])
    expect(barsOf(drawn(), 'record').map(({ by }) => by)).toEqual([1, 2])
  })

  it('shows a lease for as long as its holder may believe in it: by its own clock, while it is at work', () => {
    expect(spans(barsOf(drawn(), 'lease'))).toEqual([
      [1, 3.5, 102],
      [2, 203.5, 211],
    ])
    // A clock that loses half of the time makes a lease last for twice as long.
    const slow = [{ atUs: 0, machine: 'consumer-1', aheadUs: 0, pace: 500_000 }]
    expect(spans(barsOf(drawn({ clocks: slow }), 'lease'))[0]).toEqual([1, 3.5, 202])
    // That of the server matters to the record alone.
    const fast = [{ atUs: 0, machine: 'redis', aheadUs: 0, pace: 2_000_000 }]
    const history = lockedRun()
    const keys = runTraceOf(history).keys.map((key) => ({ ...key, expireAtMs: key.expireAtMs! + key.atUs / 1000 }))
    expect(spans(barsOf(drawn({ clocks: fast, keys }), 'record'))[0]).toEqual([3, 3, 53])
    expect(spans(barsOf(drawn({ clocks: fast, keys }), 'lease'))[0]).toEqual([1, 3.5, 102])
  })

  it('ends a lease where its holder asks for the key to be removed, and not where another one does', () => {
    const history = lockedRun()
    const { commands, keys } = runTraceOf(history)
    const lease = (process: string) => {
      const times = { sentUs: ms(50), executedUs: ms(51), repliedUs: ms(52), lostUs: null }
      const gone = { atUs: ms(51), seq: 4, node: 'redis', key: 'lock:k1', value: null, expireAtMs: null, by: 2 }
      const release = { process, node: 'redis', label: 'DEL', seq: 4, ...times }
      const runTrace = { commands: [...commands, release], keys: [keys[0]!, gone, keys[1]!] }
      return spans(barsOf(drawn(runTrace), 'lease'))[0]
    }
    expect(lease('consumer-1')).toEqual([1, 3.5, 50])
    expect(lease('consumer-2')).toEqual([1, 3.5, 102])
  })

  it('has the place of a line beside its text, and not in it once more', () => {
    const history = lockedRun()
    const sent = history.events.find(({ type }) => type === 'effect-sent')!
    Object.assign(sent, { sentFrom: { file: 'src/pay.ts', line: 12 } })
    const violation = violationIn(history)
    const story = reportStory(history, violation)
    expect(story.some((line) => line.includes('(src/pay.ts:12)'))).toBe(true)
    const { events } = drawViolation({ history, runTrace: runTraceOf(history) }, violation, story)
    expect(events[sent.seq]!.text).not.toContain('src/pay.ts')
    expect(events[sent.seq]!.sentFrom).toBe('src/pay.ts:12')
  })

  it('has it so for effects too, whose lines have the place of their request', () => {
    const history = lockedRun()
    for (const sent of history.events.filter(({ type }) => type === 'effect-sent'))
      Object.assign(sent, { sentFrom: { file: 'src/pay.ts', line: 12 } })
    const violation = violationIn(history)
    const story = reportStory(history, violation)
    expect(story.some((line) => / the sink applies effect-2 .*\(src\/pay\.ts:12\)$/.test(line))).toBe(true)
    const { events } = drawViolation({ history, runTrace: runTraceOf(history) }, violation, story)
    const effects = events.filter(({ effect }) => effect !== undefined)
    expect(effects.map(({ sentFrom }) => sentFrom)).toEqual(['src/pay.ts:12', 'src/pay.ts:12'])
    expect(effects.filter(({ text }) => text.includes('src/pay.ts'))).toEqual([])
  })

  it('calls what runs a script by one word, with its body or without it, as labels do', () => {
    const sent = (name: string) => {
      const history = lockedRun()
      const command = history.events.find(({ type }) => type === 'command')!
      Object.assign(command, { command: `${name} claim 1 lock:k1 EVAL` })
      const violation = violationIn(history)
      const story = reportStory(history, violation)
      const { events } = drawViolation({ history, runTrace: runTraceOf(history) }, violation, story)
      return [story.find((line) => line.includes('claim 1'))!, events[command.seq]!.text, events[command.seq]!.command!]
    }
    for (const text of [...sent('EVAL'), ...sent('eval'), ...sent('EVALSHA')])
      expect(text).toContain('EVALSHA claim 1 lock:k1 EVAL')
    for (const text of sent('FCALL')) expect(text).toContain('FCALL claim 1 lock:k1 EVAL')
  })

  it('shows no lease where the reply never came, or the key has no expiry', () => {
    const history = lockedRun()
    const { commands, keys } = runTraceOf(history)
    const unheard = commands.map((command) => ({ ...command, repliedUs: null, lostUs: ms(1) }))
    expect(barsOf(drawn({ commands: unheard }), 'lease')).toEqual([])
    expect(barsOf(drawn({ keys: keys.map((key) => ({ ...key, expireAtMs: null })) }), 'lease')).toEqual([])
  })

  it('names two primaries at once, and no two that follow each other', () => {
    const roles = (oldUntil: number): RunTrace['roles'] => [
      { atUs: 0, seq: -1, node: 'redis-1', role: 'primary' },
      { atUs: 0, seq: -1, node: 'redis-2', role: 'replica' },
      { atUs: ms(100), seq: 2, node: 'redis-2', role: 'primary' },
      { atUs: ms(oldUntil), seq: 2, node: 'redis-1', role: 'replica' },
    ]
    const rule = (until: number, more: Partial<RunTrace> = {}) =>
      drawn({ servers: ['redis-1', 'redis-2'], commands: [], keys: [], roles: roles(until), ...more }).bands.filter(
        ({ kind }) => kind === 'two-primaries',
      )
    expect(rule(500)).toMatchObject([{ lanes: [3, 4], fromUs: ms(100), untilUs: ms(500) }])
    expect(rule(100)).toEqual([])
    expect(rule(500, { hasSeveralPrimaries: true })).toEqual([])
  })

  it('shows what a server got from another one as a copy, and what a command wrote as none', () => {
    const history = lockedRun()
    const [first] = runTraceOf(history).keys
    const commands = runTraceOf(history).commands.map((command) => ({ ...command, node: 'redis-1' }))
    const copies = (by?: number) => {
      const written = { ...first!, node: 'redis-1' }
      const { by: _, ...bare } = written
      const keys = [written, { ...bare, node: 'redis-2', atUs: ms(5), ...(by === undefined ? {} : { by }) }]
      return drawn({ servers: ['redis-1', 'redis-2'], commands, keys }).messages.filter(({ kind }) => kind === 'copy')
    }
    expect(copies()).toMatchObject([{ from: 3, to: 4, sentUs: ms(3), arrivedUs: ms(5) }])
    expect(copies(0)).toEqual([])
  })

  it('tells what a process takes for so, until it no longer does', () => {
    const of = (about: string) =>
      drawn()
        .beliefs.filter((one) => one.lane === 1 && one.about === about)
        .map(({ atUs, text }) => [atUs / 1000, text])
    expect(of('holds lock:k1')).toEqual([
      [3.5, 'believes that it holds lock:k1 until 102.0 ms, by its own clock'],
      [102, null],
    ])
    expect(of('handling 1').at(-1)?.[1]).toBeNull()
  })

  it('gives no time for the end of a lease that its holder’s work, or the holder itself, ended sooner', () => {
    const { beliefs, bars } = drawn()
    const held = beliefs.filter(({ about }) => about === 'holds lock:k1').map(({ text }) => text)
    expect(held).toEqual([
      'believes that it holds lock:k1 until 102.0 ms, by its own clock',
      null,
      'believes that it holds lock:k1',
      null,
    ])
    expect(bars.filter(({ kind }) => kind === 'lease').map(({ text }) => text)).toEqual([
      'consumer-1 got lock:k1: by its own clock until 102.0 ms',
      'consumer-2 got lock:k1: by its own clock for longer than it works',
    ])
  })

  it('says of a lease that the run did not see the end of that it outlasts the run, not the work', () => {
    const history = aRun().publish('m1').at(1).deliver(1, 'm1', 'consumer-1').at(3)
    history.add({ type: 'command', process: 'consumer-1', command: 'SET lock:k1 a NX PX 100', reply: 'OK' })
    const run = drawPassing({ history: history.at(20).rest(), runTrace: runTraceOf(history) }, 'k1')
    expect(barsOf(run, 'lease').map(({ text }) => text)).toEqual([
      'consumer-1 got lock:k1: by its own clock until after the end of the run',
    ])
  })

  it('has the line of the layer that sent a command, where the run was traced so far', () => {
    const history = lockedRun()
    const command = history.events.find(({ type }) => type === 'command')!
    Object.assign(command, { sentFrom: { file: 'src/lock.ts', line: 41 } })
    const violation = violationIn(history)
    const { events } = drawViolation(
      { history, runTrace: runTraceOf(history) },
      violation,
      reportStory(history, violation),
    )
    expect(events[command.seq]!.sentFrom).toBe('src/lock.ts:41')
    expect(drawn().events.some(({ sentFrom }) => sentFrom !== undefined)).toBe(false)
  })

  it('shows what a layer says with escapes', () => {
    const history = lockedRun()
    history.events.push({
      ...{ type: 'log', process: 'consumer-1', stream: 'stdout', text: '\u202egnp\u0007' },
      ...{ seq: history.events.length, atUs: ms(2011) },
    })
    const violation = violationIn(history)
    const { events } = drawViolation({ history, runTrace: runTraceOf(history) }, violation, [])
    expect(events.at(-1)!.text).toBe('consumer-1 logs: \\u202egnp\\x07')
  })

  it('of a run that holds tells the same key’s events, and no ending', () => {
    const calm = lockedRun(false)
    const nearestPassing = drawPassing({ history: calm, runTrace: runTraceOf(calm) }, 'k1')
    expect(nearestPassing.events.filter(({ reported }) => reported).map(({ text }) => text)).toContain(
      'the sink applies effect-1 for k1, sent by consumer-1',
    )
    expect(nearestPassing.events.some(({ tone, shows }) => tone === 'repeat' || shows)).toBe(false)
    expect(nearestPassing.ending).toEqual([])
  })
})

it('a run that holds says how much it leaves out, behind what it tells of it, as a story does', () => {
  const history = aRun().publish('m1')
  for (let n = 1; n <= 9; n++) {
    history.at(10 * n).deliver(n, 'm1', 'consumer-1', n)
    history.add({ type: 'command', process: 'consumer-1', command: 'GET lock:k1', reply: '1' })
    history.answer(n, { status: n === 9 ? 'dead-letter' : 'retry', reason: 'held' })
  }
  const { events, folds } = drawPassing({ history: history.rest(), runTrace: runTraceOf(history) }, 'k1')
  const reported = events.filter((event) => event.reported)
  expect(folds).toEqual([
    { afterSeq: reported[2]!.seq, text: '7 more attempts get the same reply and end the same way, until 80.0 ms' },
  ])
  expect(reported[2]!.text).toContain('consumer-1 answers retry')
  expect(drawPassing({ history: lockedRun(false), runTrace: runTraceOf(lockedRun(false)) }, 'k1').folds).toEqual([])
})

describe('scripts in a timeline', () => {
  const body = '-- claim\n\tlocal a = 1\r\nreturn a\u0000'
  const scripts = [{ name: 'the script claim', body, statements: [2, 3] }]
  const run = { script: 0, ran: [2, 3], calls: [{ line: 2, command: 'GET k', reply: '\u001b[1m' }], more: 0 }

  it('stand at the event of the command that ran them, as lines that can be shown', () => {
    const history = lockedRun()
    const [set, other] = runTraceOf(history).commands
    const { scripts: texts, events } = drawn({ scripts, commands: [{ ...set!, ran: [run] }, other!] })
    expect(texts).toEqual([
      { name: 'the script claim', lines: ['-- claim', '  local a = 1', 'return a\\x00'], statements: [2, 3] },
    ])
    const reported = { ...run, calls: [{ line: 2, command: 'GET k', reply: '\\x1b[1m' }] }
    expect(events.flatMap((event) => (event.scripts ? [[event.seq, event.scripts]] : []))).toEqual([
      [set!.seq, [reported]],
    ])
  })

  it('are none where no command ran one', () => {
    const { scripts: texts, events } = drawn()
    expect([texts, events.filter((event) => 'scripts' in event)]).toEqual([[], []])
  })
})
