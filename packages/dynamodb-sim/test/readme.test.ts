import { expect, it } from 'vitest'
import { readmeExample } from '../../../test/package/readme-example.ts'

it('the example of the README runs', async () => {
  expect(await readmeExample('dynamodb-sim')).toMatchObject({ first: 200, second: 400 })
})
