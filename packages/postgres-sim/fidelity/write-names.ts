/**
 * Writes the names in the catalogs of a real PostgreSQL 15 to real-names.json, including names that
 * the simulated server does not support: `npx tsx packages/postgres-sim/fidelity/write-names.ts`.
 */
import { writeFileSync } from 'node:fs'
import { findPostgres, startPostgres } from 'test-servers'
import { namesFile } from './real-names.ts'

const programs = findPostgres()
if (programs === undefined)
  throw new Error('PostgreSQL 15 not found; install it (Debian: apt-get install postgresql-15)')
const server = await startPostgres(programs)
const text = await namesFile(server.port)
await server.stop()
writeFileSync(new URL('../src/engine/reference/real-names.json', import.meta.url), text)
