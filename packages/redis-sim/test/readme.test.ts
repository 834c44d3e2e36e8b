import { expect, it } from 'vitest'
import { readmeExample } from '../../../test/package/readme-example.ts'

it('the example of the README runs', async () => {
  const { replies } = await readmeExample('redis-sim')
  expect(replies).toEqual(['+OK\r\n', '$-1\r\n', '+OK\r\n', '$10\r\nconsumer-2\r\n'])
})
