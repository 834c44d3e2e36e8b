import { defineMutant } from '../../../src/contract/api/canary.ts'

export default defineMutant({
  id: 'canary-adopts-what-is-in-use',
  about: 'Adopts a bucket without checking whether it is in use.',
  breaks: 'Buckets that are in use are left alone',
  adapter: 'implementations/reference/reference-adopts.ts',
  patches: [
    {
      file: 'lua/adopt.lua',
      find: `if born then return {'kept', born} end
`,
      replace: '',
    },
  ],
  hunt: {
    killedBy: [],
    scenarios: ['competing-consumers'],
  },
})
