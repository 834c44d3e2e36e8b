import { defineMutant } from '../../src/contract/api/canary.ts'

export default defineMutant({
  id: 'canary-postgres-record-first',
  about: 'Commits the record before the effect.',
  breaks: 'Effects that are rows',
  adapter: 'implementations/reference/reference-postgres.ts',
  patches: [
    {
      file: 'src/impl/postgres/transaction.ts',
      find: '    const fence = Number(taken.fence)\n',
      replace:
        "    const fence = Number(taken.fence)\n    await session.ask('COMMIT')\n    await session.ask(open(leaseMs))\n",
    },
  ],
  hunt: {
    killedBy: [],
    scenarios: ['postgres-crash'],
    sink: 'transactional',
  },
})
