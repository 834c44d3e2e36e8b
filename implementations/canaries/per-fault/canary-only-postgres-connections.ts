import { lookOften } from '../parts/look.ts'
import { codeOfSession, suspiciousOfPostgres } from '../parts/per-fault-postgres.ts'

export default suspiciousOfPostgres(
  {
    id: 'canary-only-postgres-connections',
    about: 'PostgreSQL takes no further client, so nobody else can work and everything is done here, twice.',
    kind: 'postgres-connections',
  },
  async (context) => {
    const codes = await lookOften(50, () => codeOfSession(context))
    return codes.includes('53300')
  },
)
