import { describe, expect, test } from 'vitest'
import { keysNamedIn, messagesNamedIn, standsAlone } from '../../../src/contract/results/keys-named-in.ts'

describe('a name inside another name', () => {
  test.each([
    ['k1', 'lock:k1', true],
    ['k1', 'k1', true],
    ['k1', 'k10 k1', true],
    ['k1', 'lock:k10', false],
    ['a', 'stats', false],
    ['', 'lock', false],
  ])('stands alone (%j in %j): %s', (part, text, expected) => {
    expect(standsAlone(part, text)).toBe(expected)
  })
})

describe('the keys in a text', () => {
  const keys = ['order:1', 'order:1:lock', 'lock:order:1', 'order:10']
  const messages = keys.map((key, at) => ({ key, messageId: `m${at + 1}` }))

  test.each([
    ['seen:order:1', ['order:1']],
    ['seen:order:10', ['order:10']],
    ['seen:order:1:lock', ['order:1:lock']],
    ['seen:order:1:state', ['order:1']],
    // Neither is the longer name.
    ['lock:order:1:lock', ['order:1:lock', 'lock:order:1']],
    // One of them also stands alone elsewhere.
    ['["order:1:lock","order:1"]', ['order:1', 'order:1:lock']],
    ['seen:m2', ['order:1:lock']],
    ['statistics', []],
  ])('are found (%j): %j', (text, expected) => {
    expect([...keysNamedIn(text, messages)]).toEqual(expected)
  })

  test('are narrowed to one message by its id', () => {
    const two = [...messages, { key: 'order:1', messageId: 'm9' }]
    expect(messagesNamedIn('seen:m9', two)).toEqual([{ key: 'order:1', messageId: 'm9' }])
    expect(messagesNamedIn('seen:order:1', two)).toHaveLength(2)
  })
})
