/** Shared by the layers of this folder that keep their records in PostgreSQL. */
import { Pool, type PoolClient } from 'pg'
import type { CreateContext, Implementation } from '../../../src/contract/api/implementation.ts'
import type { Message, Outcome } from '../../../src/contract/api/message.ts'
import type { EffectStatement } from '../../../src/contract/api/sink.ts'

interface Desk {
  readonly pool: Pool
  /** Runs `work` in one transaction that includes the statement of the effect. */
  transaction(work: (client: PoolClient) => Promise<Outcome>): Promise<Outcome>
  effectOf(message: Message): Promise<EffectStatement>
}

export function inPostgres(
  id: string,
  table: string,
  handle: (message: Message, desk: Desk) => Promise<Outcome>,
): Implementation {
  return {
    ...{ id, recoveryBoundMs: 60_000, lacks: ['lease', 'stored-result', 'dead-lettering'], has: ['transactions'] },
    ...{ stores: ['postgres'], sinks: ['transactional'], leavesNoDoubtOn: ['transactional'] },
    async deploy({ postgres }) {
      const pool = new Pool(postgres!.options)
      await pool.query(table)
      await pool.end()
    },
    create({ postgres, sink }: CreateContext) {
      const pool = new Pool({ ...postgres!.options, connectionTimeoutMillis: 5000, query_timeout: 60_000 })
      pool.on('error', () => {})
      pool.on('connect', (client) => client.on('error', () => {}))
      const desk: Desk = {
        pool,
        async transaction(work) {
          const client = await pool.connect()
          try {
            await client.query('BEGIN')
            const outcome = await work(client)
            await client.query('COMMIT')
            client.release()
            return outcome
          } catch (error) {
            client.release(error as Error)
            throw error
          }
        },
        effectOf: (message) => sink.statement!(message),
      }
      return { handle: (message) => handle(message, desk), close: () => pool.end() }
    },
  }
}

export const isDone: Outcome = { status: 'done', result: null, resultKept: false }
