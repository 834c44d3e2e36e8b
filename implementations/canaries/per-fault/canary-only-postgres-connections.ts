import { lookOften } from '../parts/look.ts'
import { codeOfSession, suspiciousOfPostgres } from '../parts/per-fault-postgres.ts'

export default suspiciousOfPostgres(
  {
    id: 'canary-only-postgres-connections',
    about: 'Performs twice if PostgreSQL accepts no more clients.',
    kind: 'postgres-connections',
  },
  async (context) => {
    const codes = await lookOften(50, () => codeOfSession(context))
    return codes.includes('53300')
  },
)
