import { defineMutant } from '../../../src/contract/api/canary.ts'

export default defineMutant({
  id: 'canary-late-settlement-counts',
  about: 'Accepts a settlement of any age.',
  breaks: 'A settlement settles exactly the doubt that was reported',
  adapter: 'implementations/reference/reference-reconciles.ts',
  patches: [
    {
      file: 'lua/reopen.lua',
      find: "  if nowUs - tonumber(ARGV[9]) >= tonumber(ARGV[6]) * 1000 then return {'lost', 'retention'} end\n",
      replace: '',
    },
  ],
  hunt: {
    killedBy: ['redis-flushed', 'pause'],
    scenarios: ['slow-settlement'],
    sink: 'fenced',
  },
})
