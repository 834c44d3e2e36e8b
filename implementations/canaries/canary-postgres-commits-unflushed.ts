import { defineMutant } from '../../src/contract/api/canary.ts'

export default defineMutant({
  id: 'canary-postgres-commits-unflushed',
  about: 'Leaves the durability of a commit to the settings of the server.',
  breaks: 'Effects that are rows',
  adapter: 'implementations/reference/reference-postgres.ts',
  patches: [
    {
      file: 'src/impl/postgres/sql.ts',
      find: "ELSE set_config('synchronous_commit', 'on', true) END",
      replace: "ELSE 'as the server has it' END",
    },
  ],
  hunt: { killedBy: ['postgres-restart'], scenarios: ['postgres-lost-commits'], sink: 'transactional' },
})
