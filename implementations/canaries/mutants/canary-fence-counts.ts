import { defineMutant } from '../../../src/contract/canary.ts'

export default defineMutant({
  id: 'canary-fence-counts',
  about: 'A fence is one more than the last, so it is simply counted.',
  patches: [
    {
      file: 'lua/acquire.lua',
      find: "math.max(tonumber(fence or '0') + 1, nowUs)",
      replace: "tonumber(fence or '0') + 1",
    },
    {
      file: 'src/impl/attempt.ts',
      find: "giveBack('superseded', undefined, raised.highest)",
      replace: "giveBack('superseded')",
    },
  ],
  hunt: {
    killedBy: ['redis-restart', 'redis-flushed'],
    scenarios: ['redis-restart'],
    sink: 'fenced',
  },
})
