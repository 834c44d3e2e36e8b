import { describe, expect, it } from 'vitest'
import type { RunTrace, SentinelWord } from '../../../src/contract/results/run-trace.ts'
import { beliefsOf } from '../../../src/report/page/browser/beliefs.ts'
import { reportStory } from '../../../src/report/story.ts'
import { drawViolation } from '../../../src/report/timeline/timeline-of.ts'
import { lockedRun, ms, runTraceOf, violationIn } from './made-up-run.ts'

const sentinels = ['sentinel-1', 'sentinel-2']
const word = (seq: number, sentinel: string, what: SentinelWord['what'], about: string | null): SentinelWord => ({
  ...{ atUs: ms(4), seq, sentinel, what, about },
})
const asked = { atUs: ms(1), seq: 1, sentinel: 'sentinel-2', process: 'consumer-1', reported: 'redis' }

function drawn(changes: Partial<RunTrace> = {}, sentence?: string) {
  const history = lockedRun()
  if (sentence !== undefined) history.strike('partition', sentence)
  const violation = violationIn(history)
  return drawViolation({ history, runTrace: runTraceOf(history, changes) }, violation, reportStory(history, violation))
}
const lanesOf = ({ lanes }: ReturnType<typeof drawn>) =>
  lanes.filter(({ kind }) => kind === 'sentinel').map(({ name }) => name)

describe('Sentinels in a timeline', () => {
  it('have a lane each if one of them sent a message, or a fault struck one', () => {
    expect(lanesOf(drawn({ sentinels, words: [word(2, 'sentinel-1', 'down', 'redis')] }))).toEqual(sentinels)
    expect(lanesOf(drawn({ sentinels }, 'sentinel-2 is cut off from redis'))).toEqual(sentinels)
  })

  it('share a lane if only clients asked them, and have none otherwise', () => {
    expect(lanesOf(drawn({ sentinels, questions: [asked] }))).toEqual(['sentinels'])
    expect(lanesOf(drawn({ sentinels }))).toEqual([])
    expect(lanesOf(drawn({ sentinels }, 'redis is cut off from consumer-1'))).toEqual([])
  })

  it('are shown with their messages after the event that preceded them; later events are renumbered', () => {
    const words = [word(2, 'sentinel-1', 'stands', 'redis'), word(2, 'sentinel-2', 'votes', 'sentinel-1')]
    const [plain, shown] = [drawn(), drawn({ sentinels, words })]
    expect(shown.events.map(({ seq }) => seq)).toEqual(shown.events.map((_, at) => at))
    const texts = shown.events.map(({ text }) => text)
    expect(texts.slice(3, 5)).toEqual([
      'sentinel-1 asks the others for votes to fail redis over',
      'sentinel-2 votes for sentinel-1',
    ])
    expect([...texts.slice(0, 3), ...texts.slice(5)]).toEqual(plain.events.map(({ text }) => text))
    const about = ({ events, messages }: typeof plain) =>
      messages.map(({ kind, seq, fromSeq = seq }) => `${kind}: ${events[fromSeq]!.text}, ${events[seq]!.text}`)
    const votes = about(shown).filter((text) => text.startsWith('copy'))
    expect(votes).toEqual(['copy: sentinel-2 votes for sentinel-1, sentinel-2 votes for sentinel-1'])
    expect(about(shown).filter((text) => !votes.includes(text))).toEqual(about(plain))
    const keys = ({ events, keys }: typeof plain) => keys.map(({ seq }) => events[seq]!.text)
    expect(keys(shown)).toEqual(keys(plain))
  })

  it('show replies to clients as events without arrows, because it is unknown when a reply arrived', () => {
    const timeline = drawn({ sentinels, questions: [asked] })
    const { events, messages, lanes } = timeline
    const event = events.find(({ text }) => text === 'consumer-1 asks sentinel-2 for the primary; it answers: redis')!
    expect(event).toMatchObject({ command: 'SENTINEL get-master-addr-by-name', reply: 'redis' })
    expect(lanes[event.lane!]!.name).toBe('sentinels')
    const own = messages.filter(({ seq }) => seq === event.seq)
    expect(own.map(({ kind, from, to }) => [kind, lanes[from]!.name, lanes[to]!.name])).toEqual([
      ['request', 'consumer-1', 'sentinels'],
    ])
    const known = beliefsOf(timeline).map(({ text }) => text ?? '')
    expect(known.filter((text) => text.includes('SENTINEL'))).toEqual([])
  })

  it('are left out of a story that shows no new primary', () => {
    const words = [word(2, 'sentinel-1', 'leads', null)]
    const event = drawn({ sentinels, words }).events.find(({ text }) => text.startsWith('sentinel-1'))
    expect(event).toBeDefined()
    expect(event).not.toHaveProperty('reported')
  })
})
