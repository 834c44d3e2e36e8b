import { defineMutant } from '../../src/contract/api/canary.ts'

export default defineMutant({
  id: 'canary-relay-marks-first',
  about: 'Marks a row as sent, and commits that, before it is sent.',
  adapter: 'implementations/correct/outbox-before-keyed-sink.ts',
  patches: [
    {
      file: 'implementations/correct/outbox-before-keyed-sink.ts',
      find: 'const { state, value } = await perform(',
      replace:
        'await client.query("UPDATE outbox SET state = \'sent\' WHERE key = $1", [row.key])\n  await client.query("COMMIT; BEGIN")\n  const { state, value } = await perform(',
    },
  ],
  hunt: {
    killedBy: ['crash'],
    scenarios: ['only-crashes'],
    sink: 'keyed',
  },
})
