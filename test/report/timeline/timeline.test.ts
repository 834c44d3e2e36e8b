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

  it('has a lane for each other store, and none for an unused Redis', () => {
    const { lanes } = drawn({ servers: [], stores: ['postgres'], commands: [], keys: [], roles: [] })
    expect(lanes.map(({ name, kind }) => `${kind} ${name}`).slice(3)).toEqual(['store postgres', 'sink sink'])
  })

  it('separates the reply of a command, however long the command is', () => {
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

  it('has every event by its number, with the story in its own words and order, and a row for each arrow of an attempt', () => {
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

  it('counts the effects of a key, and marks the second one and those of the violation', () => {
    const effects = drawn().events.filter(({ effect }) => effect !== undefined)
    expect(effects.map(({ tone, effect, shows }) => [tone, effect, shows])).toEqual([
      ['effect', 1, true],
      ['repeat', 2, true],
    ])
  })

  it('has both messages of a command, and breaks off one that never arrived', () => {
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

  it('has the effects on their way to the sink, from the moment of sending', () => {
    const effects = drawn().messages.filter(({ kind }) => kind === 'effect')
    expect(effects.map(({ from, to, sentUs, arrivedUs }) => [from, to, sentUs / 1000, arrivedUs! / 1000])).toEqual([
      [2, 4, 205, 210],
      [1, 4, 2004, 2010],
    ])
  })

  it('has a band for a lasting fault over its lanes, and none without a fault', () => {
    expect(drawn().bands).toMatchObject([{ kind: 'pause', lanes: [1], fromUs: ms(4), untilUs: ms(2004) }])
    const calm = lockedRun(false)
    expect(drawPassing({ history: calm, runTrace: runTraceOf(calm) }, 'k1').bands).toEqual([])
  })

  it('uses the names of existing faults', () => {
    expect([...Object.keys(bandKinds), ...reportedOtherwise].filter((kind) => !faults.has(kind))).toEqual([])
  })

  it('shows a record while the server keeps it, with its writer', () => {
    expect(spans(barsOf(drawn(), 'record'))).toEqual([
      [3, 3, 103],
      [3, 203, 303],
    ])
    expect(barsOf(drawn(), 'record').map(({ by }) => by)).toEqual([1, 2])
  })

  it('shows a lease while its working holder may believe in it, by the holder’s clock', () => {
    expect(spans(barsOf(drawn(), 'lease'))).toEqual([
      [1, 3.5, 102],
      [2, 203.5, 211],
    ])
    // A lease lasts twice as long by a clock at half speed.
    const slow = [{ atUs: 0, machine: 'consumer-1', aheadUs: 0, pace: 500_000 }]
    expect(spans(barsOf(drawn({ clocks: slow }), 'lease'))[0]).toEqual([1, 3.5, 202])
    // The clock of the server affects only the record.
    const fast = [{ atUs: 0, machine: 'redis', aheadUs: 0, pace: 2_000_000 }]
    const history = lockedRun()
    const keys = runTraceOf(history).keys.map((key) => ({ ...key, expireAtMs: key.expireAtMs! + key.atUs / 1000 }))
    expect(spans(barsOf(drawn({ clocks: fast, keys }), 'record'))[0]).toEqual([3, 3, 53])
    expect(spans(barsOf(drawn({ clocks: fast, keys }), 'lease'))[0]).toEqual([1, 3.5, 102])
  })

  it('ends a lease when its holder requests the removal of the key, but not when another process does', () => {
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

  it('has a source line beside the text, and not inside it', () => {
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

  it('has a source line of effects beside the text, taken from their request', () => {
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

  it('uses one word for a command that runs a script, with or without its body, like labels do', () => {
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

  it('shows no lease if the reply never came, or the key has no expiry', () => {
    const history = lockedRun()
    const { commands, keys } = runTraceOf(history)
    const unheard = commands.map((command) => ({ ...command, repliedUs: null, lostUs: ms(1) }))
    expect(barsOf(drawn({ commands: unheard }), 'lease')).toEqual([])
    expect(barsOf(drawn({ keys: keys.map((key) => ({ ...key, expireAtMs: null })) }), 'lease')).toEqual([])
  })

  it('marks two simultaneous primaries, but not two successive ones', () => {
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

  it('shows a key from another server as a copy, but not one that a command wrote', () => {
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

  it('has the beliefs of a process until they end', () => {
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

  it('omits the end of a lease that the work or the end of its holder cut short', () => {
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

  it('calls a lease without an observed end longer than the run, not longer than the work', () => {
    const history = aRun().publish('m1').at(1).deliver(1, 'm1', 'consumer-1').at(3)
    history.add({ type: 'command', process: 'consumer-1', command: 'SET lock:k1 a NX PX 100', reply: 'OK' })
    const run = drawPassing({ history: history.at(20).rest(), runTrace: runTraceOf(history) }, 'k1')
    expect(barsOf(run, 'lease').map(({ text }) => text)).toEqual([
      'consumer-1 got lock:k1: by its own clock until after the end of the run',
    ])
  })

  it('has the source line of a command if it was traced', () => {
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

  it('shows log lines with escapes', () => {
    const history = lockedRun()
    history.events.push({
      ...{ type: 'log', process: 'consumer-1', stream: 'stdout', text: '\u202egnp\u0007' },
      ...{ seq: history.events.length, atUs: ms(2011) },
    })
    const violation = violationIn(history)
    const { events } = drawViolation({ history, runTrace: runTraceOf(history) }, violation, [])
    expect(events.at(-1)!.text).toBe('consumer-1 logs: \\u202egnp\\x07')
  })

  it('has the events of the same key for a passing run, and no ending', () => {
    const calm = lockedRun(false)
    const nearestPassing = drawPassing({ history: calm, runTrace: runTraceOf(calm) }, 'k1')
    expect(nearestPassing.events.filter(({ reported }) => reported).map(({ text }) => text)).toContain(
      'the sink applies effect-1 for k1, sent by consumer-1',
    )
    expect(nearestPassing.events.some(({ tone, shows }) => tone === 'repeat' || shows)).toBe(false)
    expect(nearestPassing.ending).toEqual([])
  })
})

it('a passing run reports what it omits in its place, as a story does', () => {
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

  it('are at the event of their command, as lines that can be shown', () => {
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

  it('are absent if no command ran one', () => {
    const { scripts: texts, events } = drawn()
    expect([texts, events.filter((event) => 'scripts' in event)]).toEqual([[], []])
  })
})
