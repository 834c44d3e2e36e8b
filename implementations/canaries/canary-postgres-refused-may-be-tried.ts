import { defineMutant } from '../../src/contract/api/canary.ts'

export default defineMutant({
  id: 'canary-postgres-refused-may-be-tried',
  about: 'Performs again after a refusal.',
  breaks: 'Effects that are requests',
  adapter: 'implementations/reference/reference-postgres-outside.ts',
  patches: [
    {
      file: 'src/impl/postgres/acquire.ts',
      find: "  if (record?.state === 'refused') return { status: 'refused', error: record.error }\n",
      replace: '',
    },
  ],
  hunt: {
    killedBy: ['effect-fails-before'],
    scenarios: ['sink-errors'],
  },
})
