import { defineMutant } from '../../src/contract/api/canary.ts'

export default defineMutant({
  id: 'canary-postgres-failover-unnoticed',
  about: 'Assumes that the server at an address is always the same.',
  breaks: 'Effects that are requests',
  adapter: 'implementations/reference/reference-postgres-outside.ts',
  patches: [
    {
      file: 'src/impl/postgres/sql.ts',
      find: 'export const timeline = "left(pg_walfile_name(\'0/1\'), 8)"',
      replace: 'export const timeline = "\'00000001\'"',
    },
  ],
  hunt: { killedBy: ['postgres-failover'], scenarios: ['postgres-async-failover'] },
})
