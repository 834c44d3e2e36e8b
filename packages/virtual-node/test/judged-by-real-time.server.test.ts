import { expect, it } from 'vitest'
import { judgedByRealTime } from './judged-by-real-time.ts'

const later = (ms: number) => new Promise((resolve) => setTimeout(resolve, ms))

/**
 * A program that reports these lines, one in each run. Before it reports 'late', it blocks this
 * process.
 */
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

it('a difference of the reports counts if the machine kept up', async () => {
  const { report } = real(...Array(20).fill('otherwise'))
  await expect(judgedByRealTime(['so'], report)).rejects.toThrow('otherwise')
})

it('after a difference during a delay, the program runs again, but not forever', async () => {
  const { report, count } = real('late', 'so', 'otherwise')
  expect(await judgedByRealTime(['so'], report)).toEqual(['so'])
  expect(count()).toBe(2)
  const never = real(...Array(20).fill('late'))
  await expect(judgedByRealTime(['so'], never.report)).rejects.toThrow('late')
})

it('after a difference, the program runs again if the process was blocked at its very beginning or end', async () => {
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

it('lines that are logged after the end of the program do not count', async () => {
  const talkative = async () => {
    const lines = ['so']
    setImmediate(() => lines.push('and so on'))
    return lines
  }
  expect(await judgedByRealTime(['so'], talkative)).toEqual(['so'])
})

it('after a difference, the program runs again if another watched resource stalled', async () => {
  const stalls = [40, 0]
  const { report, count } = real('otherwise', 'so')
  expect(await judgedByRealTime(['so'], report, async () => ({ stop: () => stalls.shift()! }))).toEqual(['so'])
  expect(count()).toBe(2)
})

it('after an equal report, the program does not run again', async () => {
  const { report, count } = real('so', 'otherwise')
  expect(await judgedByRealTime(['so'], report)).toEqual(['so'])
  expect(count()).toBe(1)
})

it('after a difference, the program runs again if two timers of one turn started in different milliseconds', async () => {
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
