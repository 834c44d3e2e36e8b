import { defineMutant } from '../../../src/contract/api/canary.ts'

export default defineMutant({
  id: 'canary-heartbeat-never-stops',
  about: 'Stops the heartbeat only when Redis reports another owner.',
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
