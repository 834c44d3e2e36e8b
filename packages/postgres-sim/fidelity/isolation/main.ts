/**
 * `pnpm --filter postgres-sim isolation <folder>`: runs PostgreSQL's own isolation specifications
 * on a real PostgreSQL and on the simulated PostgreSQL.
 */
import fs from 'node:fs'
import path from 'node:path'
import { Command } from 'commander'
import { exitCodes, findPostgres, goneRemedy, minorVersion, ServerGone, startPostgres } from 'test-servers'
import { loadSqlParser } from '../../src/index.ts'
import { skippedPostgres } from '../compare-postgres.ts'
import { RealTarget } from '../real-target.ts'
import { compareSpec, type SpecResult } from './compare-specs.ts'
import { isolationPage } from './page.ts'

const command = new Command('isolation')
  .description("Plays PostgreSQL's isolation specifications on a real PostgreSQL 15 and on the simulated one.")
  .argument('<folder>', 'of the specifications: src/test/isolation/specs in the sources of PostgreSQL')
  .option('--only <text>', 'specifications whose name contains it', '')
  .option('--write <page>', 'writes what came of them into this page')
  .exitOverride(({ exitCode }) => process.exit(exitCode === 0 ? exitCodes.ok : exitCodes.usage))
  .parse()
const [folder] = command.args as [string]
const { only, write } = command.opts<{ only: string; write?: string }>()

const files = filesIn(folder)
if (files.length === 0) {
  console.error(`${folder}: there are no specifications; name src/test/isolation/specs of PostgreSQL's sources`)
  process.exit(exitCodes.usage)
}
const programs = findPostgres()
if (programs === undefined) {
  console.log(`isolation specifications skipped: ${skippedPostgres}`)
  process.exit(exitCodes.ok)
}
await loadSqlParser()
const server = await startPostgres(programs)
const results: SpecResult[] = []
try {
  for (const file of files) {
    const real = new RealTarget(server.port, 'isolation')
    const result = await compareSpec(path.basename(file, '.spec'), fs.readFileSync(file, 'utf8'), real)
    real.close()
    results.push(result)
    print(result)
  }
} catch (error) {
  if (!(error instanceof ServerGone)) throw error
  console.error(`${error.message}: ${goneRemedy}`)
  process.exitCode = exitCodes.serverGone
} finally {
  await server.stop()
}
if (write !== undefined && results.length === files.length)
  fs.writeFileSync(write, isolationPage(minorVersion(programs), results))
process.exitCode ??= results.some(({ differences }) => differences.length > 0) ? exitCodes.different : exitCodes.ok

function filesIn(folder: string): string[] {
  const names = fs.existsSync(folder) ? fs.readdirSync(folder) : []
  return names
    .filter((name) => name.endsWith('.spec') && name.includes(only))
    .sort()
    .map((name) => path.join(folder, name))
}

function print({ name, alike, outside, differences }: SpecResult): void {
  const reasons = [...outside].map(([what, times]) => `${times} outside: ${what}`)
  console.log([`${name}: ${alike} alike`, ...reasons, `${differences.length} different`].join('; '))
  const [first] = differences
  if (first === undefined) return
  for (const { session, sql } of first.steps.slice(0, first.at + 1)) console.log(`  ${session}: ${sql}`)
  console.log(`  real:      ${first.real}\n  simulated: ${first.simulated}`)
}
