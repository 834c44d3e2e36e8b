import { findPostgres, minorVersion, Random, startPostgres } from 'test-servers'
import { type Database, loadSqlParser } from '../src/index.ts'
import { compareSequence, type Difference, minimise } from './compare-sequences.ts'
import { generateSequence, setup } from './generate.ts'
import { generateRowLocks, rowLocksSessions, rowLocksSetup } from './generate-row-locks.ts'
import { generateSerializable, readsByOnConflict, serializableSetup } from './generate-serializable.ts'
import { RealTarget } from './real-target.ts'

export interface PostgresComparison {
  readonly statements: number
  /** Sequences that were followed no further, by what is not simulated. */
  readonly declined: Readonly<Record<string, number>>
  /** What an older minor version does otherwise, and is not compared. */
  readonly leftOut: string | null
  readonly differences: readonly Difference[]
}

/** Statements of one sequence. */
const length = 30
/** As many differences are enough to begin with. */
const most = 10

/**
 * Sessions interleaved statement by statement on a real PostgreSQL 15 and on the simulated one:
 * answers, errors with all their fields, command tags, and who waits for whom. Null where there is
 * no such server.
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
    minor < readsByOnConflict ? `ON CONFLICT under SERIALIZABLE, which is that of 15.${readsByOnConflict}` : null
  return { statements, declined, leftOut, differences }
}

/** Of five, one has serializable transactions, and one has five sessions that lock one row. */
function sequence(random: Random, number: number, minor: number) {
  if (number % 5 === 2)
    return { sessions: rowLocksSessions, steps: generateRowLocks(random, length), tables: rowLocksSetup }
  const sessions = 2 + random.below(3)
  return number % 5 === 4
    ? { sessions, steps: generateSerializable(random, sessions, length, minor), tables: serializableSetup }
    : { sessions, steps: generateSequence(random, sessions, length), tables: setup }
}

/** Why there is nothing to compare with. */
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
