/**
 * An outbox on the pool of an application. An order and the event about it are written in one
 * transaction with the order's record. A relay sends each event at most once, from any number of
 * processes.
 */
import { createOnce, type OnceInTransaction, type RunOutcome } from 'onceproof/once'
import type { Pool, PoolClient } from 'pg'

export const outboxTables = `
CREATE TABLE IF NOT EXISTS orders (key text PRIMARY KEY, cents integer NOT NULL);
CREATE TABLE IF NOT EXISTS outbox (
  id         bigint      GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
  event      jsonb       NOT NULL,
  created_ms bigint      NOT NULL,
  aside      text                   -- why a person has to look
);
`

export interface Order {
  readonly key: string
  readonly cents: number
  readonly producedAt: number
}

const times = { leaseMs: 10_000, retentionMs: 7 * 86_400_000 }

/** Two layers on one database have separate tables: make those of both namespaces. */
export const namespaces = ['orders', 'relay'] as const

export const orderLayer = (pool: Pool) =>
  createOnce({ ...times, pool, namespace: 'orders', sink: { kind: 'transactional' }, isRefusal: () => false })

export const relayLayer = (pool: Pool) => createOnce({ ...times, pool, namespace: 'relay' })

/** A copy of the order writes nothing, and gets the first result. */
export function place(orders: OnceInTransaction<PoolClient>, order: Order): Promise<RunOutcome<{ order: string }>> {
  const { key, cents, producedAt } = order
  return orders.run({ key, payload: { cents }, producedAt }, async ({ tx }) => {
    await tx.query('INSERT INTO orders (key, cents) VALUES ($1, $2)', [key, cents])
    await tx.query('INSERT INTO outbox (event, created_ms) VALUES ($1, $2)', [{ placed: key, cents }, producedAt])
    return { order: key }
  })
}

/**
 * Sends the waiting events in their order. Stops at one that another relay is sending; call it
 * again later.
 */
export async function relay(
  pool: Pool,
  once: ReturnType<typeof relayLayer>,
  send: (event: unknown) => Promise<void>,
): Promise<void> {
  const { rows } = await pool.query('SELECT id, event, created_ms FROM outbox WHERE aside IS NULL ORDER BY id')
  for (const { id, event, created_ms } of rows) {
    const message = { key: `outbox-${id}`, payload: event, producedAt: Number(created_ms) }
    const outcome = await once.run(message, () => send(event))
    if (outcome.status === 'retry') return
    if (outcome.status === 'done') await pool.query('DELETE FROM outbox WHERE id = $1', [id])
    else await pool.query('UPDATE outbox SET aside = $2 WHERE id = $1', [id, outcome.status])
  }
}
