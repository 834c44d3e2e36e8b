import { defineMutant } from '../../../src/contract/api/canary.ts'

export default defineMutant({
  id: 'canary-heartbeat-never-stops',
  about: 'The heartbeat ends when Redis says that the record is no longer ours.',
  breaks: 'Every message ends `done`, `refused`, `in-doubt` or `conflict`, or is still being retried',
  patches: [
    {
      file: 'src/impl/attempt.ts',
      find: '    lease.stop()\n',
      replace: '',
    },
  ],
  hunt: {
    killedBy: ['effect-fails-before', 'effect-fails-after'],
    scenarios: ['lost-reply'],
  },
})
