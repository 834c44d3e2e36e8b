import { expect } from 'vitest'
import { needs } from '../../../test/needs/needs.ts'
import { readmeExample } from '../../../test/package/readme-example.ts'

needs({ redis: '7.0' }).it('the example of the README runs', async () => {
  expect(await readmeExample('test-servers')).toMatchObject({ greeting: 'hello' })
})
