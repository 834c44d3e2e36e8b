import { lookOften } from '../parts/look.ts'
import { codeOfSession, suspiciousOfPostgres } from '../parts/per-fault-postgres.ts'

export default suspiciousOfPostgres(
  {
    id: 'canary-only-postgres-restart',
    about: 'Performs twice after PostgreSQL was down.',
    kind: 'postgres-restart',
  },
  async (context) => {
    const codes = await lookOften(20, () => codeOfSession(context))
    return codes.some((code) => code === 'ECONNREFUSED' || code === '57P03')
  },
)
