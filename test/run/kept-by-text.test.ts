import { expect, it } from 'vitest'
import { keptByText } from '../../src/run/kept-by-text.ts'

it('a result is cached by text, but not for a long text, which has values in it', () => {
  const asked: number[] = []
  const lengthOf = keptByText((text) => {
    asked.push(text.length)
    return text.length
  })
  for (const text of ['SELECT 1', 'SELECT 1', 'x'.repeat(5000), 'x'.repeat(5000)]) lengthOf(text)
  expect(asked).toEqual([8, 5000, 5000])
})
