import { defineMutant } from '../../../src/contract/api/canary.ts'

export default defineMutant({
  id: 'canary-fence-is-the-time',
  about: 'Time goes on, so a fence that is the time is higher than the last one.',
  breaks: '`fenced` sinks',
  patches: [
    {
      file: 'lua/acquire.lua',
      find: "math.max(tonumber(fence or '0') + 1, nowUs)",
      replace: 'nowUs',
    },
  ],
  hunt: {
    killedBy: ['clock-step'],
    scenarios: ['fences-after-loss'],
    sink: 'fenced',
  },
})
