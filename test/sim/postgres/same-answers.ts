/** Statements with what a real PostgreSQL 15 answers: asked of the simulated one, and of the real one where it is installed. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { findPostgres, type PostgresServer, startPostgres } from '../../../src/fidelity/postgres/process.ts'
import { type Answer, WireClient } from '../../../src/fidelity/postgres/wire-client.ts'
import { Lab } from './lab.ts'

export interface Asked {
  /** Statements before; what they come to is not looked at. */
  readonly setup?: readonly string[]
  /** By statement: `SELECT 1: a|b`, or `22003 value out of range`. */
  readonly answers: Readonly<Record<string, string>>
}

export function sameAnswers(topics: Readonly<Record<string, Asked>>): void {
  const programs = findPostgres()
  let real: PostgresServer | undefined
  beforeAll(async () => {
    if (programs !== undefined) real = await startPostgres(programs)
  })
  afterAll(async () => real?.stop())

  describe.each(Object.entries(topics))('%s', (_, { setup = [], answers }) => {
    it('in the simulated PostgreSQL', () => {
      const lab = new Lab()
      lab.all('one', ...setup)
      const told = Object.keys(answers).map((sql) => [sql, lab.ask('one', sql)])
      expect(Object.fromEntries(told)).toEqual(answers)
      expect(lab.unsupported).toEqual([])
    })

    it.skipIf(programs === undefined)('in PostgreSQL 15', async () => {
      const client = await WireClient.open(real!.port)
      const ask = async (sql: string) => shown((await client.query(sql)).at(-1)!)
      await ask('DROP SCHEMA public CASCADE')
      await ask('CREATE SCHEMA public')
      for (const sql of setup) await ask(sql)
      const told: [string, string][] = []
      for (const sql of Object.keys(answers)) told.push([sql, await ask(sql)])
      client.close()
      expect(Object.fromEntries(told)).toEqual(answers)
    })
  })
}

/** As the lab says it. */
function shown(answer: Answer): string {
  if ('error' in answer) return `${answer.error.C} ${answer.error.M}`
  const rows = answer.rows.map((row) => row.map((value) => value ?? 'null').join('|'))
  return rows.length === 0 ? answer.tag : `${answer.tag}: ${rows.join(', ')}`
}
