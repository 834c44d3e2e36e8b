import { expect, it } from 'vitest'
import { judgedByRealTime } from './judged-by-real-time.ts'

const later = (ms: number) => new Promise((resolve) => setTimeout(resolve, ms))

/** Each telling in turn; one that is named 'late' after this process stood still. */
function real(...lines: string[]) {
  let reported = 0
  const report = async () => {
    const line = lines[reported++]!
    const until = performance.now() + (line === 'late' ? 50 : 0)
    await later(5)
    while (performance.now() < until);
    await later(5)
    return [line]
  }
  return { report, count: () => reported }
}

it('a difference counts where the machine kept up', async () => {
  const { report } = real(...Array(20).fill('otherwise'))
  await expect(judgedByRealTime(['so'], report)).rejects.toThrow('otherwise')
})

it('a difference that was seen while it did not is looked at again, not for ever', async () => {
  const { report, count } = real('late', 'so', 'otherwise')
  expect(await judgedByRealTime(['so'], report)).toEqual(['so'])
  expect(count()).toBe(2)
  const never = real(...Array(20).fill('late'))
  await expect(judgedByRealTime(['so'], never.report)).rejects.toThrow('late')
})

it('a difference that was seen while it stood still at the very beginning or end is looked at again', async () => {
  const stands = () => {
    for (const until = performance.now() + 50; performance.now() < until; );
  }
  for (const place of ['beginning', 'end']) {
    let reported = 0
    const report = async () => {
      const first = reported++ === 0
      if (first && place === 'beginning') stands()
      await later(5)
      if (first && place === 'end') stands()
      return [first ? 'late' : 'so']
    }
    expect(await judgedByRealTime(['so'], report)).toEqual(['so'])
    expect(reported).toBe(2)
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
  const { report, count } = real('otherwise', 'so')
  expect(await judgedByRealTime(['so'], report, async () => ({ stop: () => stalls.shift()! }))).toEqual(['so'])
  expect(count()).toBe(2)
})

it('what agrees was told once', async () => {
  const { report, count } = real('so', 'otherwise')
  expect(await judgedByRealTime(['so'], report)).toEqual(['so'])
  expect(count()).toBe(1)
})

it('a difference between timers that one turn started on both sides of a millisecond is looked at again', async () => {
  let reported = 0
  const straddling = async () => {
    await new Promise((resolve) => {
      setTimeout(resolve, 5)
      for (const until = performance.now() + (reported++ ? 0 : 1.1); performance.now() < until; );
      setTimeout(resolve, 5)
    })
    return [reported === 1 ? 'swapped' : 'so']
  }
  expect(await judgedByRealTime(['so'], straddling)).toEqual(['so'])
  expect(reported).toBe(2)
})
