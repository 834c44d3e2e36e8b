import { expect, it } from 'vitest'
import { createStatusTable, lookAt, takeSlot } from '../../src/cli/status-table.ts'

const address = { implementation: './my layer.ts', scenario: 'lost-reply', sink: 'plain', seed: 7, run: 12 } as const

it('the status table has the run of each thread, and nothing between two runs', () => {
  const statusTable = createStatusTable()
  const slots = [takeSlot(statusTable), takeSlot(statusTable)]
  slots[1]!.playing(address)
  expect(lookAt(statusTable, 1)).toBeNull()
  slots[1]!.begun()
  expect(lookAt(statusTable, 1)).toMatchObject({ address })
  expect(lookAt(statusTable, 0)).toBeNull()
  slots[1]!.ended()
  expect(lookAt(statusTable, 1)).toBeNull()
})
