/** A pool for the reference, and its tables: what an application has already, and what its deployment does. */
import type { DeployContext } from '../../../src/contract/api/implementation.ts'
import { createOnceTables } from '../../../src/impl/once.ts'
import { openPool } from '../../parts/open-pool.ts'

/** Nothing was ever performed before. */
export async function deployTables({ postgres }: DeployContext): Promise<void> {
  const pool = openPool(postgres!)
  await createOnceTables({ pool })
  await pool.end()
}

/** At one delivery in four: what a timer would do in an application. */
export function nowAndThen(work: () => Promise<unknown>): void {
  if (Math.random() < 0.25) void work()
}
