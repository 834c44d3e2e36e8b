import { expect, it } from 'vitest'
import { readmeExample } from '../../../test/package/readme-example.ts'

it('the example of the README runs', async () => {
  const duplicate = 'duplicate key value violates unique constraint "records_pkey"'
  const { answers } = await readmeExample('postgres-sim')
  expect(answers).toEqual(['CREATE TABLE', 'BEGIN', 'INSERT 0 1', 'COMMIT', duplicate])
})
