import { readFileSync } from 'node:fs'
import { type Answer, startPostgres, WireClient } from 'test-servers'
import { expect } from 'vitest'
import { needs, pathOf } from '../../../test/needs/needs.ts'
import { namesFile } from '../fidelity/real-names.ts'
import { topics } from './answers.ts'

needs({ postgres: '15' }).it('a real PostgreSQL 15 gives the same answers as the simulated PostgreSQL', async () => {
  const server = await startPostgres(pathOf('postgres'))
  try {
    for (const { setup = [], answers } of Object.values(topics)) {
      const client = await WireClient.open(server.port)
      const ask = async (sql: string) => shown((await client.query(sql)).at(-1)!)
      for (const sql of ['DROP SCHEMA public CASCADE', 'CREATE SCHEMA public', ...setup]) await ask(sql)
      const given: [string, string][] = []
      for (const sql of Object.keys(answers)) given.push([sql, await ask(sql)])
      client.close()
      expect(Object.fromEntries(given)).toEqual(answers)
    }
  } finally {
    await server.stop()
  }
})

// This command updates the file: npx tsx packages/postgres-sim/fidelity/write-names.ts
needs({ postgres: '15.20' }).it('the file of names has the names of a real PostgreSQL', async () => {
  const server = await startPostgres(pathOf('postgres'))
  const text = await namesFile(server.port)
  await server.stop()
  expect(readFileSync(new URL('../src/engine/reference/real-names.json', import.meta.url), 'utf8')).toBe(text)
})

/** Formats an answer in the same way as the lab. */
function shown(answer: Answer): string {
  if ('error' in answer) return `${answer.error.C} ${answer.error.M}`
  const rows = answer.rows.map((row) => row.map((value) => value ?? 'null').join('|'))
  return rows.length === 0 ? answer.tag : `${answer.tag}: ${rows.join(', ')}`
}
