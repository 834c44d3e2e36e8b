import { defineMutant } from '../../../src/contract/api/canary.ts'

export default defineMutant({
  id: 'canary-future-is-young',
  about: 'Treats a produced-at time in the future as now.',
  breaks: '`from-the-future`',
  patches: [
    {
      file: 'lua/acquire.lua',
      find: `elseif sink ~= 'fenced' and not counts and produced > now + skew then`,
      replace: 'elseif false then',
    },
  ],
  hunt: {
    killedBy: [],
    scenarios: ['stale-message'],
  },
})
