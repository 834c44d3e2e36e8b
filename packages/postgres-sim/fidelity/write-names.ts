/**
 * Writes the names that a PostgreSQL 15 has and the simulated one may lack into the engine's reference, from a real server's own catalogs:
 * `npx tsx packages/postgres-sim/fidelity/write-names.ts`.
 */
import { writeFileSync } from 'node:fs'
import { findPostgres, startPostgres } from 'test-servers'
import { realNames } from './real-names.ts'

const programs = findPostgres()
if (programs === undefined)
  throw new Error('no PostgreSQL 15 found: install one (Debian: apt-get install postgresql-15)')
const server = await startPostgres(programs)
const { version, ...lists } = await realNames(server.port)
await server.stop()
const parts = Object.entries(lists).map(
  ([name, words]) => `export const ${name}: ReadonlySet<string> = new Set(\n  '${words.join(' ')}'.split(' '),\n)\n`,
)
const head = `/** Names that PostgreSQL ${version} has. Written by packages/postgres-sim/fidelity/write-names.ts. */\n\n`
writeFileSync(new URL('../src/engine/reference/names.ts', import.meta.url), head + parts.join('\n'))
