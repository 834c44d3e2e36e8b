import { Pool } from 'pg'
import type { DeployContext } from '../../src/contract/api/implementation.ts'

/** The `deploy` of a layer whose tables `schema` creates. */
export const deploys =
  (schema: string) =>
  async ({ postgres }: DeployContext): Promise<void> => {
    const pool = new Pool(postgres!.options)
    await pool.query(schema)
    await pool.end()
  }
