import { describe, expect, it } from 'vitest'
import type { History } from '../../src/contract/api/history.ts'
import { visible, visibleLines } from '../../src/contract/results/visible.ts'
import { html } from '../../src/report/page/html.ts'
import { reportStory } from '../../src/report/story.ts'

describe('text of a layer', () => {
  it.each([
    ['\u001b[2J\u001b]0;title\u0007', '\\x1b[2J\\x1b]0;title\\x07'],
    ['a\nb\r\tc', 'a\\nb\\r\\tc'],
    ['\u009b31m\u007f', '\\x9b31m\\x7f'],
    ['pay\u202egpj\u2066x\u2069', 'pay\\u202egpj\\u2066x\\u2069'],
    ['line\u2028end\ufeff', 'line\\u2028end\\ufeff'],
    ['no character \ufffe\uffff', 'no character \\ufffe\\uffff'],
    ['half \ud800 and \udc00', 'half \\ud800 and \\udc00'],
  ])('is shown with escapes if it would control a terminal: %j', (text, shown) => {
    expect(visible(text)).toBe(shown)
  })

  it('is unchanged if it is plain text in any language', () => {
    const text = 'Grüße, 你好, שלום, مرحبا, 👩‍👩‍👧, "quoted" \\ back'
    expect(visible(text)).toBe(text)
  })
})

it('lines of onceproof keep only their colors and line ends', () => {
  expect(visibleLines('\u001b[31mred\u001b[39m\n\tnext')).toBe('\u001b[31mred\u001b[39m\n\tnext')
  expect(visibleLines('\u001b[2Jgone\u0007\r')).toBe('\\x1b[2Jgone\\x07\\x0d')
})

it('a story keeps keys and errors of a layer on their line', () => {
  const key = 'k\u001b[2K\nforged line'
  const history: History = {
    header: {} as History['header'],
    events: [
      { seq: 0, atUs: 1000, type: 'published', messageId: 'm1', key, payload: null, payloadDigest: '', copy: false },
    ] as unknown as History['events'],
  }
  const story = reportStory(history, { kind: 'zombie', key, sentence: `twice for ${key}`, events: [0] } as never)
  expect(story.join('')).not.toMatch(/[\u001b\n]/)
  expect(story.join('')).toContain('k\\x1b[2K\\nforged line')
})

it('the page shows neither control characters nor text that runs backwards', () => {
  expect(html`<b>${'\u001b[31m<i>\u202e'}</b>`.text).toBe('<b>\\x1b[31m&lt;i&gt;\\u202e</b>')
})
