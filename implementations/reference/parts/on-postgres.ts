/** A pool for the reference, and its tables: the application's part and its deployment's. */
import type { DeployContext } from '../../../src/contract/api/implementation.ts'
import { createOnceTables } from '../../../src/impl/once.ts'
import { openPool } from '../../parts/open-pool.ts'

/** Leaves `since` at its default, because no effect was ever performed before. */
export async function deployTables({ postgres }: DeployContext): Promise<void> {
  const pool = openPool(postgres!)
  await createOnceTables({ pool })
  await pool.end()
}

/** Does the work at one delivery in four, instead of by a timer of an application. */
export function nowAndThen(work: () => Promise<unknown>): void {
  if (Math.random() < 0.25) void work()
}
