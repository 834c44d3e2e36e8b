import { defineMutant } from '../../../src/contract/api/canary.ts'

export default defineMutant({
  id: 'canary-barred-fence-forgotten',
  about: 'Forgets the fence of a barred attempt.',
  breaks: '`reconcile` has no answer "not found"',
  adapter: 'implementations/reference/reference-reconciles.ts',
  patches: [
    {
      file: 'lua/reopen.lua',
      find: "math.max(tonumber(fence or '0'), tonumber(ARGV[1]), tonumber(ARGV[8]))",
      replace: "math.max(tonumber(fence or '0'), tonumber(ARGV[1]))",
    },
  ],
  hunt: {
    killedBy: ['clock-step'],
    scenarios: ['fences-after-loss'],
    sink: 'fenced',
  },
})
