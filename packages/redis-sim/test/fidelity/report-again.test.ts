import { expect, it } from 'vitest'
import { reportAgain } from '../../fidelity/report-again.ts'

const reports = (...all: string[][]) => {
  let reported = 0
  return { report: async () => ({ differences: all[reported++]! }), count: () => reported }
}

it('a story without differences is executed once', async () => {
  const { report, count } = reports([], ['late: 1'])
  expect(await reportAgain(report, 2)).toEqual({ differences: [], unconfirmed: [] })
  expect(count()).toBe(1)
})

it('a difference in every repetition is confirmed, even if its values differ', async () => {
  const { report } = reports(['a time\n 1'], ['a time\n 2'])
  expect(await reportAgain(report, 2)).toEqual({ differences: ['a time\n 2'], unconfirmed: [] })
})

it('a difference in only one repetition is listed as unconfirmed', async () => {
  const { report } = reports(['a time\n 1', 'a reply\n x'], ['another time\n 2', 'a reply\n y'])
  expect(await reportAgain(report, 2)).toEqual({
    differences: ['a reply\n y'],
    unconfirmed: ['a time\n 1', 'another time\n 2'],
  })
})
