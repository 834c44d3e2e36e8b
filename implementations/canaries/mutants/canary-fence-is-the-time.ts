import { defineMutant } from '../../../src/contract/api/canary.ts'

export default defineMutant({
  id: 'canary-fence-is-the-time',
  about: 'Uses the time as the fence, even if the clock has gone back.',
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
