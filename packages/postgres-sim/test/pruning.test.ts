import { expect, it } from 'vitest'
import { withKeys } from './lab.ts'

it('versions that nobody can see do not heap up', () => {
  const lab = withKeys()
  for (let i = 0; i < 500; i++) lab.ask('one', "UPDATE t SET n = n + 1 WHERE k = 'a'")
  const [table] = lab.database.catalog.allTables()
  expect(table!.storages[0]!.heap.versions.length).toBeLessThan(200)
  expect(lab.ask('one', "SELECT n FROM t WHERE k = 'a'")).toBe('SELECT 1: 501')
  expect(lab.ask('one', "INSERT INTO t VALUES ('a')")).toMatch(/^23505/)
})

it('what an open transaction may still see is kept', () => {
  const lab = withKeys()
  lab.all('reader', 'BEGIN ISOLATION LEVEL REPEATABLE READ', 'SELECT 1')
  for (let i = 0; i < 200; i++) lab.ask('one', "UPDATE t SET n = n + 1 WHERE k = 'a'")
  expect(lab.ask('reader', "SELECT n FROM t WHERE k = 'a'")).toBe('SELECT 1: 1')
})

it('what a crash may bring back is kept', () => {
  const lab = withKeys({ synchronousCommit: false })
  lab.pass(600_000)
  for (let i = 0; i < 200; i++) lab.ask('one', "UPDATE t SET n = n + 1 WHERE k = 'a'")
  lab.database.crash()
  expect(lab.ask('after', "SELECT n FROM t WHERE k = 'a'")).toBe('SELECT 1: 1')
})
