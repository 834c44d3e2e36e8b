import { Client } from 'pg'
import type { CreateContext, Implementation } from '../../../src/contract/api/implementation.ts'
import { type Says, suspicious } from './per-fault.ts'

/** As `suspicious`, for a kind of faults of PostgreSQL: the reference, which has its records in Redis, looks at that server too. */
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

/** What becomes of a new client: its error's code, or null where it is taken. */
export async function codeOfSession(context: CreateContext): Promise<string | null> {
  try {
    void (await openSession(context)).end()
    return null
  } catch (error) {
    return (error as { code?: string }).code ?? ''
  }
}
