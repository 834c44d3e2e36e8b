import { defineMutant } from '../../../src/contract/api/canary.ts'

export default defineMutant({
  id: 'canary-fence-stands-still',
  about: 'Uses one fence for all holders.',
  breaks: '`fenced` sinks',
  patches: [
    {
      file: 'lua/acquire.lua',
      find: "local granted = math.max(tonumber(fence or '0') + 1, nowUs)",
      replace: 'local granted = 1',
    },
  ],
  hunt: {
    killedBy: ['crash'],
    scenarios: ['crash-mid-logic'],
    sink: 'fenced',
  },
})
