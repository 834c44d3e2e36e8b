import { expect, it } from 'vitest'
import { createBoard, lookAt, takeSeat } from '../../src/cli/play-board.ts'

const address = { implementation: './my layer.ts', scenario: 'lost-reply', sink: 'plain', seed: 7, run: 12 } as const

it('a board shows what each thread is playing, and nothing between two runs', () => {
  const board = createBoard()
  const seats = [takeSeat(board), takeSeat(board)]
  seats[1]!.playing(address)
  expect(lookAt(board, 1)).toBeNull()
  seats[1]!.begun()
  expect(lookAt(board, 1)).toMatchObject({ address })
  expect(lookAt(board, 0)).toBeNull()
  seats[1]!.ended()
  expect(lookAt(board, 1)).toBeNull()
})
