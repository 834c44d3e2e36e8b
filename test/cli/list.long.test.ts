/** `list` loads every layer and every scenario that the package has. */
import fs from 'node:fs'
import { expect, it } from 'vitest'
import { onceproofHere } from './run-here.ts'

it('list prints all names as JSON, with libraries in a group', async () => {
  const listed = JSON.parse((await onceproofHere(['list', '--json'])).stdout)
  const names = (of: string): string[] => listed[of].map(({ name }: { name: string }) => name)
  expect(names('scenarios')).toContain('lost-reply')
  expect(names('implementations')).toEqual(expect.arrayContaining(['reference', '001-get-set']))
  expect(names('faults')).toContain('crash')
  expect(names('invariants')).toContain('at-most-once')
  expect(names('goals').length).toBeGreaterThan(5)

  const files = fs.readdirSync(new URL('../../implementations/third-party/', import.meta.url))
  const libraries = files.filter((file) => file.endsWith('.ts')).map((file) => file.replace(/\.ts$/, ''))
  expect(names('libraries').sort()).toEqual(libraries.sort())
  expect(names('implementations').filter((name) => libraries.includes(name))).toEqual([])
  for (const group of ['libraries', 'implementations', 'canaries', 'scenarios'])
    for (const { about } of listed[group]) expect(about).not.toContain('cannot be loaded')
})
