import { lookOften } from '../parts/look.ts'
import { codeOfSession, suspiciousOfPostgres } from '../parts/per-fault-postgres.ts'

export default suspiciousOfPostgres(
  {
    id: 'canary-only-postgres-restart',
    about: 'PostgreSQL was down, so nobody can have recorded anything and everything is done here, twice.',
    kind: 'postgres-restart',
  },
  async (context) => {
    const codes = await lookOften(20, () => codeOfSession(context))
    return codes.some((code) => code === 'ECONNREFUSED' || code === '57P03')
  },
)
