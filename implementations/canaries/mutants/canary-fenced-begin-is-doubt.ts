import { defineMutant } from '../../../src/contract/api/canary.ts'

export default defineMutant({
  id: 'canary-fenced-begin-is-doubt',
  about: 'Treats a begun effect on a fenced sink as in doubt.',
  breaks: '`fenced` sinks',
  patches: [
    {
      file: 'lua/acquire.lua',
      find: "if state == 'begun' and sink == 'plain' then",
      replace: "if state == 'begun' and sink ~= 'keyed' then",
    },
  ],
  hunt: {
    killedBy: ['crash'],
    scenarios: ['crash-mid-logic'],
    sink: 'fenced',
  },
})
