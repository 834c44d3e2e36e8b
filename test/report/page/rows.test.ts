import { describe, expect, it } from 'vitest'
import { momentOf } from '../../../src/report/page/browser/moment.ts'
import { rowsOf, yOf } from '../../../src/report/page/browser/rows.ts'
import { foldedLines } from '../../../src/report/page/browser/script-lines.ts'
import { brokenTimeline } from './made-up-pictures.ts'

const timeline = brokenTimeline()
const seqOf = (text: string) => timeline.events.find((event) => event.text.includes(text))!.seq

describe('rows of a picture', () => {
  it('are the events of the story, or all of them', () => {
    const events = (detail: 'story' | 'all') => rowsOf(timeline, detail).filter(({ kind }) => kind === 'event').length
    expect(events('all')).toBe(timeline.events.length)
    expect(events('story')).toBe(timeline.events.filter(({ reported }) => reported).length)
  })

  it('have a break wherever a second or more passes without an event', () => {
    const rows = rowsOf(timeline, 'story')
    const breaks = rows.flatMap((row, at) =>
      row.kind === 'idle' ? [[row.forUs / 1000, rows[at + 1]!.atUs / 1000]] : [],
    )
    expect(breaks).toEqual([[1799, 2010]])
  })

  it('have notes of folded events only in the story', () => {
    const folded = { ...timeline, folds: [{ afterSeq: seqOf('the sink applies'), text: '8 times more the same' }] }
    const notes = (detail: 'story' | 'all') => rowsOf(folded, detail).filter(({ kind }) => kind === 'note')
    expect(notes('story')).toMatchObject([{ text: '8 times more the same' }])
    expect(notes('all')).toEqual([])
  })
})

describe('notes and idle time', () => {
  it('are drawn within their own time, and at the previous event if they end with it', () => {
    const before = seqOf('SET lock:k1 b')
    const next = timeline.events.find(({ reported, seq }) => reported && seq > before)!
    const folded = { ...timeline, folds: [{ afterSeq: before, text: 'more of the same' }] }
    for (const [reported, count] of [
      [folded, 1],
      [timeline, 0],
    ] as const) {
      const rows = rowsOf(reported, 'story')
      const at = rows.findIndex((row) => row.kind === 'event' && row.event.seq === before)
      const ys = rows.map((_, place) => place * 10)
      const placed = { times: rows.map(({ atUs }) => atUs), ys, height: ys.length * 10 }
      expect(yOf(placed, timeline.events[before]!.atUs)).toBe(ys[at])
      expect(yOf(placed, next.atUs, true)).toBe(ys[at + 1 + count])
    }
    const rows = rowsOf(timeline, 'story')
    const idle = rows.findIndex(({ kind }) => kind === 'idle')
    expect(rows[idle]!.atUs).toBeGreaterThan(rows[idle - 1]!.atUs)
    expect(rows[idle]!.atUs).toBeLessThan(rows[idle + 1]!.atUs)
  })
})

describe('the position of a moment', () => {
  const placed = { times: [100, 200, 200, 400], ys: [10, 30, 50, 90], height: 100 }

  it('is between its neighbors in proportion, and at the last of several rows of one moment', () => {
    expect([100, 150, 200, 300, 400].map((at) => yOf(placed, at))).toEqual([10, 20, 50, 70, 90])
  })

  it('is at the first of these rows for bands that begin then', () => {
    expect([100, 150, 200, 500].map((at) => yOf(placed, at, true))).toEqual([10, 20, 30, 100])
  })

  it('is at the edge before the first row and after the last', () => {
    expect([0, 500].map((at) => yOf(placed, at))).toEqual([0, 100])
  })
})

describe('the state at a moment', () => {
  const at = (text: string) => momentOf(timeline, seqOf(text))
  const keys = (text: string) => at(text).flatMap((stand) => stand.keys.map(({ key, value }) => `${key}=${value}`))

  it('has the keys of the server, from their command until they expire', () => {
    expect(keys('m1 is handed to consumer-1')).toEqual([])
    expect(keys('SET lock:k1 a')).toEqual(['lock:k1=a'])
    expect(keys('m1 is handed to consumer-2')).toEqual([])
    expect(keys('SET lock:k1 b')).toEqual(['lock:k1=b'])
  })

  it('has the beliefs of a process while they last', () => {
    const first = (text: string) =>
      at(text)
        .find(({ name }) => name === 'consumer-1')!
        .beliefs.join('; ')
    expect(first('consumer-1 stops')).toContain('believes that it holds lock:k1')
    expect(first('m1 is handed to consumer-2')).not.toContain('takes lock:k1')
    expect(first('m1 is handed to consumer-2')).toContain('works on m1, attempt 1')
  })

  it('has the open question and the last reply of a process, until it ends', () => {
    const first = (seq: number, of = timeline) => momentOf(of, seq).find(({ name }) => name === 'consumer-1')!.beliefs
    const [set, stop] = [seqOf('SET lock:k1 a'), seqOf('consumer-1 stops')]
    expect(first(set)).toContain('waits for an answer to SET since 2.0 ms')
    expect(first(stop)).toContain('heard of SET: OK')
    expect(first(stop).join()).not.toContain('waits for an answer')
    const messages = timeline.messages.map((message) =>
      message.kind === 'reply' ? { ...message, arrivedUs: null } : message,
    )
    expect(first(stop, { ...timeline, messages })).toContain('waits for an answer to SET since 2.0 ms')
    const { atUs } = timeline.events[stop]!
    const gone = { seq: stop, atUs, lane: 1, about: 'heard', text: null }
    expect(first(stop, { ...timeline, beliefs: [...timeline.beliefs, gone] }).join()).not.toContain('heard of SET')
  })

  it('has the role of a server, and how far a clock is ahead', () => {
    const roles = at('SET lock:k1 a').map(({ name, role }) => [name, role])
    expect(roles).toEqual([
      ['consumer-1', null],
      ['consumer-2', null],
      ['redis', 'primary'],
    ])
    const off = { ...timeline, clocks: [{ atUs: 0, lane: 1, aheadUs: 5000, pace: 1_000_000 }] }
    expect(momentOf(off, 3).map(({ aheadUs }) => aheadUs)).toEqual([5000, 0, 0])
    expect(momentOf(timeline, 3).map(({ aheadUs }) => aheadUs)).toEqual([0, 0, 0])
  })
})

describe('lines of a script', () => {
  const lines = [
    '-- claim',
    "if redis.call('EXISTS', KEYS[1]) == 1 then",
    '  return 0',
    'end',
    "redis.call('HSET', KEYS[1],",
    "  'owner', ARGV[1])",
    'return 1',
  ]
  const script = { name: 'the script claim', lines, statements: [2, 3, 5, 7] }
  const shown = (ran: number[], of = script) =>
    foldedLines(of, { script: 0, ran, calls: [], more: 0 }).map((one) =>
      Array.isArray(one) ? one.map(({ at }) => at) : `${one.at}${one.ran ? ' ran' : ''}`,
    )

  it('have run if their statement has, including its continuation lines', () => {
    expect(shown([2, 5, 7])).toEqual(['1', '2 ran', '3', '4', '5 ran', '6 ran', '7 ran'])
  })

  it('are folded if several in a row did not run', () => {
    expect(shown([2, 3])).toEqual(['1', '2 ran', '3 ran', [4, 5, 6, 7]])
    expect(shown([])).toEqual([[1, 2, 3, 4, 5, 6, 7]])
  })
})
