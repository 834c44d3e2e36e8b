import { expect, it } from 'vitest'
import { tellAgain } from '../../fidelity/tell-again.ts'

const tellings = (...all: string[][]) => {
  let told = 0
  return { tell: async () => ({ differences: all[told++]! }), count: () => told }
}

it('a story without differences is told once', async () => {
  const { tell, count } = tellings([], ['late: 1'])
  expect(await tellAgain(tell, 2)).toEqual({ differences: [], unconfirmed: [] })
  expect(count()).toBe(1)
})

it('what differs in every telling differs, whatever was seen', async () => {
  const { tell } = tellings(['a time\n 1'], ['a time\n 2'])
  expect(await tellAgain(tell, 2)).toEqual({ differences: ['a time\n 2'], unconfirmed: [] })
})

it('what differs in one telling only is told apart from it', async () => {
  const { tell } = tellings(['a time\n 1', 'a reply\n x'], ['another time\n 2', 'a reply\n y'])
  expect(await tellAgain(tell, 2)).toEqual({
    differences: ['a reply\n y'],
    unconfirmed: ['a time\n 1', 'another time\n 2'],
  })
})
