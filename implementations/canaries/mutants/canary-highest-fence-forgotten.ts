import { defineMutant } from '../../../src/contract/api/canary.ts'

export default defineMutant({
  id: 'canary-highest-fence-forgotten',
  about: 'Ignores the highest fence that the sink reports.',
  breaks: '`fenced` sinks',
  patches: [
    {
      file: 'lua/abandon.lua',
      find: 'math.max(tonumber(fence), tonumber(ARGV[5]))',
      replace: 'tonumber(fence)',
    },
  ],
  hunt: {
    killedBy: ['clock-step'],
    scenarios: ['fences-after-loss'],
    sink: 'fenced',
  },
})
