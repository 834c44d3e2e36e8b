import fs from 'node:fs'
import { expect, it } from 'vitest'
import { permissions } from '../../../src/contract/api/implementation.ts'

it.each(permissions)('the page about the environment of a process has the permission %s', (permission) => {
  expect(
    fs.readFileSync(new URL('../../../docs/how-it-works/what-a-process-sees.md', import.meta.url), 'utf8'),
  ).toContain(permission)
})
