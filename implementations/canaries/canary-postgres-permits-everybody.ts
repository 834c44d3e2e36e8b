import { defineMutant } from '../../src/contract/api/canary.ts'

export default defineMutant({
  id: 'canary-postgres-permits-everybody',
  about: 'Permits every attempt to perform, however old its message is.',
  breaks: 'Effects that are requests',
  adapter: 'implementations/reference/reference-postgres-outside.ts',
  patches: [
    {
      file: 'src/impl/postgres/acquire.ts',
      find: "  return { status: 'free', fence, permit }",
      replace: "  return { status: 'free', fence, permit: permit || !permit }",
    },
  ],
  hunt: {
    killedBy: ['crash'],
    scenarios: ['postgres-late-copies'],
    sink: 'keyed',
  },
})
