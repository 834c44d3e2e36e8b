import { findPostgres, minorVersion, Random, startPostgres } from 'test-servers'
import { type Database, loadSqlParser } from '../src/index.ts'
import { compareSequence, type Difference, minimise } from './compare-sequences.ts'
import { generateSequence, setup } from './generate.ts'
import { generateRowLocks, rowLocksSessions, rowLocksSetup } from './generate-row-locks.ts'
import { generateSerializable, readsByOnConflict, serializableSetup } from './generate-serializable.ts'
import { RealTarget } from './real-target.ts'

export interface PostgresComparison {
  readonly statements: number
  /** Number of sequences that were cut off, by the unsupported feature. */
  readonly declined: Readonly<Record<string, number>>
  /** A feature that is not compared because an older minor version behaves differently. */
  readonly leftOut: string | null
  readonly differences: readonly Difference[]
}

/** Number of statements per sequence. */
const length = 30
/** Maximum number of differences to report. */
const most = 10

/**
 * Runs interleaved sessions statement by statement on a real PostgreSQL 15 and on the simulated
 * one. Compares results, all error fields, command tags, and which session waits for which other
 * session. Null if PostgreSQL 15 is not installed.
 */
export async function comparePostgres(
  options: { seed: number; statements: number },
  sabotage?: (database: Database) => void,
): Promise<PostgresComparison | null> {
  const programs = findPostgres()
  if (programs === undefined) return null
  await loadSqlParser()
  const server = await startPostgres(programs)
  const minor = minorVersion(programs)
  const real = new RealTarget(server.port)
  const differences: Difference[] = []
  const declined: Record<string, number> = {}
  let statements = 0
  try {
    for (let i = 0; statements < options.statements && differences.length < most; i++) {
      const random = new Random(options.seed * 100_003 + i)
      const { sessions, steps, tables } = sequence(random, i, minor)
      const compare = (some: typeof steps) => compareSequence(real, tables, sessions, some, sabotage)
      const result = await compare(steps)
      statements += result.followed
      if (result.declined !== null) declined[result.declined] = (declined[result.declined] ?? 0) + 1
      if (result.difference)
        differences.push(await minimise(result.difference, async (some) => (await compare([...some])).difference))
    }
  } finally {
    real.close()
    await server.stop()
  }
  const leftOut =
    minor < readsByOnConflict
      ? `ON CONFLICT under SERIALIZABLE, which follows PostgreSQL 15.${readsByOnConflict}`
      : null
  return { statements, declined, leftOut, differences }
}

/**
 * Generates a sequence. One in five sequences uses serializable transactions, and one in five uses
 * five sessions that lock the same row.
 */
function sequence(random: Random, number: number, minor: number) {
  if (number % 5 === 2)
    return { sessions: rowLocksSessions, steps: generateRowLocks(random, length), tables: rowLocksSetup }
  const sessions = 2 + random.below(3)
  return number % 5 === 4
    ? { sessions, steps: generateSerializable(random, sessions, length, minor), tables: serializableSetup }
    : { sessions, steps: generateSequence(random, sessions, length), tables: setup }
}

/** The message if there is no server to compare with. */
export const skippedPostgres = 'PostgreSQL 15 not found; install it (Debian: apt-get install postgresql-15)'

export function postgresToJson(compared: PostgresComparison | null): unknown {
  return compared ?? { skipped: skippedPostgres }
}

export function printPostgres({ statements, declined, leftOut, differences }: PostgresComparison): void {
  console.log(
    `PostgreSQL: ${statements} statements of interleaved sessions, ${differences.length} differences, ${Object.values(declined).reduce((sum, times) => sum + times, 0)} sequences cut at unsupported features`,
  )
  for (const [what, times] of Object.entries(declined)) console.log(`  not simulated: ${what} (${times} times)`)
  if (leftOut) console.log(`  not compared with this older PostgreSQL 15: ${leftOut}`)
  for (const { steps, real, simulated } of differences) {
    for (const { session, sql } of steps) console.log(`  ${session}: ${sql}`)
    console.log(`  real:      ${real}\n  simulated: ${simulated}`)
  }
}
