import { expect, it } from 'vitest'
import { judgedByRealTime } from './judged-by-real-time.ts'

const later = (ms: number) => new Promise((resolve) => setTimeout(resolve, ms))

/** Each telling in turn; one that is named 'late' after this process stood still. */
function real(...lines: string[]) {
  let told = 0
  const tell = async () => {
    const line = lines[told++]!
    const until = performance.now() + (line === 'late' ? 50 : 0)
    await later(5)
    while (performance.now() < until);
    await later(5)
    return [line]
  }
  return { tell, count: () => told }
}

it('a difference counts where the machine kept up', async () => {
  const { tell } = real(...Array(20).fill('otherwise'))
  await expect(judgedByRealTime(['so'], tell)).rejects.toThrow('otherwise')
})

it('a difference that was seen while it did not is looked at again, not for ever', async () => {
  const { tell, count } = real('late', 'so', 'otherwise')
  expect(await judgedByRealTime(['so'], tell)).toEqual(['so'])
  expect(count()).toBe(2)
  const never = real(...Array(20).fill('late'))
  await expect(judgedByRealTime(['so'], never.tell)).rejects.toThrow('late')
})

it('a difference that was seen while it stood still at the very beginning or end is looked at again', async () => {
  const stands = () => {
    for (const until = performance.now() + 50; performance.now() < until; );
  }
  for (const place of ['beginning', 'end']) {
    let told = 0
    const tell = async () => {
      const first = told++ === 0
      if (first && place === 'beginning') stands()
      await later(5)
      if (first && place === 'end') stands()
      return [first ? 'late' : 'so']
    }
    expect(await judgedByRealTime(['so'], tell)).toEqual(['so'])
    expect(told).toBe(2)
  }
})

it('what is said after the program is over does not count', async () => {
  const talkative = async () => {
    const lines = ['so']
    setImmediate(() => lines.push('and so on'))
    return lines
  }
  expect(await judgedByRealTime(['so'], talkative)).toEqual(['so'])
})

it('a difference that was seen while something else of the machine stalled is looked at again', async () => {
  const stalls = [40, 0]
  const { tell, count } = real('otherwise', 'so')
  expect(await judgedByRealTime(['so'], tell, async () => ({ stop: () => stalls.shift()! }))).toEqual(['so'])
  expect(count()).toBe(2)
})

it('what agrees was told once', async () => {
  const { tell, count } = real('so', 'otherwise')
  expect(await judgedByRealTime(['so'], tell)).toEqual(['so'])
  expect(count()).toBe(1)
})

it('a difference between timers that one turn started on both sides of a millisecond is looked at again', async () => {
  let told = 0
  const straddling = async () => {
    await new Promise((resolve) => {
      setTimeout(resolve, 5)
      for (const until = performance.now() + (told++ ? 0 : 1.1); performance.now() < until; );
      setTimeout(resolve, 5)
    })
    return [told === 1 ? 'swapped' : 'so']
  }
  expect(await judgedByRealTime(['so'], straddling)).toEqual(['so'])
  expect(told).toBe(2)
})
