import { defineMutant } from '../../src/contract/api/canary.ts'

export default defineMutant({
  id: 'canary-postgres-takes-begun',
  about: 'Takes over a begun effect when its lease has ended.',
  breaks: 'Effects that are requests',
  adapter: 'implementations/reference/reference-postgres-outside.ts',
  patches: [
    {
      file: 'src/impl/postgres/acquire.ts',
      find: "if (known.state === 'begun' && sink.kind === 'plain') {",
      replace: "if (known.state === 'begun' && Number(sink.kind)) {",
    },
  ],
  hunt: {
    killedBy: [
      'crash',
      'pause',
      'lost-reply',
      'lost-request',
      'connection-reset',
      'postgres-restart',
      'partition',
      'slow-effect',
    ],
    scenarios: ['only-crashes'],
  },
})
