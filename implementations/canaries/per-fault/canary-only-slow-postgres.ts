import type { Client } from 'pg'
import { lookMs } from '../parts/look.ts'
import { openSession, suspiciousOfPostgres } from '../parts/per-fault-postgres.ts'

/** The answers of one session: how long each took, and the server's clock. */
async function looks(client: Client): Promise<{ took: number; when: string }[]> {
  const seen: { took: number; when: string }[] = []
  const untilMs = performance.now() + lookMs
  while (performance.now() < untilMs) {
    const sentMs = performance.now()
    const { rows } = await client.query<{ when: string }>('SELECT clock_timestamp()::text AS when')
    seen.push({ took: performance.now() - sentMs, when: rows[0]!.when })
  }
  return seen
}

export default suspiciousOfPostgres(
  {
    id: 'canary-only-slow-postgres',
    about: 'Performs twice if PostgreSQL stalled and then answered everything at once.',
    kind: 'slow-postgres',
  },
  async (context) => {
    try {
      const [one, other] = await Promise.all([openSession(context), openSession(context)])
      const [ofOne, ofOther] = await Promise.all([looks(one), looks(other)])
      // Two connections get the same microsecond only from a server that stood still.
      const waited = ofOne.filter(({ took }) => took > 60)
      return waited.some(({ when }) => ofOther.some((answer) => answer.took > 60 && answer.when === when))
    } catch {
      return false
    }
  },
)
