import { defineMutant } from '../../../src/contract/api/canary.ts'

export default defineMutant({
  id: 'canary-undo-lies',
  about: 'Sends the effect even though replicas are late, and releases the key too.',
  breaks: 'Through failovers, one after another, and through a deposed primary that does not know it',
  patches: [
    {
      file: 'src/impl/attempt.ts',
      find: '      return await giveBack(begun.status, begun.error)\n',
      replace: `      void work.effect({ key: hold.key, fence: hold.fence, signal: lease.signal }, prepared.value).catch(() => {})
    if (begun.status === 'not-replicated' || begun.status === 'replicas-uncounted')
      return await giveBack(begun.status, begun.error)
`,
    },
  ],
  hunt: {
    killedBy: ['machine-cut-off', 'machine-restart'],
    scenarios: ['split-brain'],
  },
})
