import { defineMutant } from '../../../src/contract/api/canary.ts'

export default defineMutant({
  id: 'canary-late-is-ready',
  about: 'Does not check the lease after prepare.',
  breaks: 'The result of `prepare` is sent, or nothing is sent',
  adapter: 'implementations/reference/reference-prepares.ts',
  patches: [
    {
      file: 'src/impl/attempt.ts',
      find: `    if (prepared.status === 'late') return await giveBack('lease-lost')
`,
      replace: "    if (prepared.status === 'late') Object.assign(prepared, { meta: '' })\n",
    },
    {
      file: 'src/impl/attempt.ts',
      find: "begun.status === 'lost' || !lease.alive",
      replace: "begun.status === 'lost'",
    },
  ],
  hunt: {
    killedBy: ['clock-drift', 'partition', 'lost-reply', 'clock-step'],
    scenarios: ['clock-skew', 'network-partition', 'lost-reply'],
  },
})
