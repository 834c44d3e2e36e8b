/**
 * `pnpm --filter postgres-sim fidelity`: runs statements of several sessions on a real PostgreSQL
 * and on the simulated PostgreSQL, and compares the answers.
 */
import { Command, InvalidArgumentError } from 'commander'
import { exitCodes, goneRemedy, ServerGone } from 'test-servers'
import { comparePostgres, postgresToJson, printPostgres, skippedPostgres } from './compare-postgres.ts'

const options = new Command('fidelity')
  .description('Compares the simulated PostgreSQL with a real PostgreSQL 15, statement by statement.')
  .option('--seed <int>', 'seed of the random statements', whole, 1)
  .option('--statements <n>', 'number of random statements', whole, 3000)
  .option('--json', 'one JSON document on standard output')
  .exitOverride(({ exitCode }) => process.exit(exitCode === 0 ? exitCodes.ok : exitCodes.usage))
  .parse()
  .opts<{ seed: number; statements: number; json?: boolean }>()

try {
  const compared = await comparePostgres(options)
  if (options.json) console.log(JSON.stringify(postgresToJson(compared)))
  else if (compared === null) console.log(`PostgreSQL skipped: ${skippedPostgres}`)
  else printPostgres(compared)
  process.exitCode = (compared?.differences.length ?? 0) === 0 ? exitCodes.ok : exitCodes.different
} catch (error) {
  if (!(error instanceof ServerGone)) throw error
  console.error(`${error.message}: ${goneRemedy}`)
  process.exitCode = exitCodes.serverGone
}

function whole(text: string): number {
  if (!/^\d{1,9}$/.test(text)) throw new InvalidArgumentError('Give digits only.')
  return Number(text)
}
