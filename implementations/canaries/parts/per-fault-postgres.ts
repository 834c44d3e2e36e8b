import { Client } from 'pg'
import type { CreateContext, Implementation } from '../../../src/contract/api/implementation.ts'
import { type Says, suspicious } from './per-fault.ts'

/**
 * `suspicious` for PostgreSQL faults: the reference, with its records in Redis, also probes
 * PostgreSQL.
 */
export function suspiciousOfPostgres(
  says: Omit<Says, 'scenarios'>,
  look: (context: CreateContext) => Promise<boolean>,
): Implementation {
  const canary = suspicious({ ...says, scenarios: ['postgres-crash'] }, ({ context }) => look(context))
  return { ...canary, stores: ['redis', 'postgres'] }
}

/** A new session. @throws the server's error, or the socket's */
export async function openSession({ postgres }: CreateContext): Promise<Client> {
  const client = new Client(postgres!.options)
  client.on('error', () => {})
  await client.connect()
  return client
}

/** Connects a new client. Returns its error's code, or null if it is accepted. */
export async function codeOfSession(context: CreateContext): Promise<string | null> {
  try {
    void (await openSession(context)).end()
    return null
  } catch (error) {
    return (error as { code?: string }).code ?? ''
  }
}
