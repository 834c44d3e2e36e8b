import { defineMutant } from '../../src/contract/api/canary.ts'

export default defineMutant({
  id: 'canary-postgres-late-result-dropped',
  about: 'Drops the result of a holder whose lease has ended.',
  breaks: 'Effects that are requests',
  adapter: 'implementations/reference/reference-postgres-outside.ts',
  patches: [
    {
      file: 'src/impl/postgres/transitions.ts',
      find: "WHERE known.state <> 'completed' RETURNING result, unkept`",
      replace: "WHERE known.state = 'begun' AND known.deadline_ms > ${nowMs} RETURNING result, unkept`",
    },
  ],
  hunt: { killedBy: ['pause'], scenarios: ['competing-consumers'] },
})
