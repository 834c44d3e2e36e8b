import { expect, it } from 'vitest'
import { withKeys } from './lab.ts'

it('row versions that no session can see are removed', () => {
  const lab = withKeys()
  for (let i = 0; i < 500; i++) lab.ask('one', "UPDATE t SET n = n + 1 WHERE k = 'a'")
  const [table] = lab.database.catalog.allTables()
  expect(table!.storages[0]!.heap.versions.length).toBeLessThan(200)
  expect(lab.ask('one', "SELECT n FROM t WHERE k = 'a'")).toBe('SELECT 1: 501')
  expect(lab.ask('one', "INSERT INTO t VALUES ('a')")).toMatch(/^23505/)
})

it('row versions that an open transaction may still see are kept', () => {
  const lab = withKeys()
  lab.all('reader', 'BEGIN ISOLATION LEVEL REPEATABLE READ', 'SELECT 1')
  for (let i = 0; i < 200; i++) lab.ask('one', "UPDATE t SET n = n + 1 WHERE k = 'a'")
  expect(lab.ask('reader', "SELECT n FROM t WHERE k = 'a'")).toBe('SELECT 1: 1')
})

it('row versions that a crash may make visible again are kept', () => {
  const lab = withKeys({ synchronousCommit: false })
  lab.pass(600_000)
  for (let i = 0; i < 200; i++) lab.ask('one', "UPDATE t SET n = n + 1 WHERE k = 'a'")
  lab.database.crash()
  expect(lab.ask('after', "SELECT n FROM t WHERE k = 'a'")).toBe('SELECT 1: 1')
})
