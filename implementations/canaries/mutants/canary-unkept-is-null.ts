import { defineMutant } from '../../../src/contract/api/canary.ts'

export default defineMutant({
  id: 'canary-unkept-is-null',
  about: 'Answers null for a result that could not be stored.',
  breaks: 'A repeated message gets the result that the effect gave, or is answered that it was not kept',
  adapter: 'implementations/reference/reference-unkept.ts',
  patches: [
    {
      file: 'lua/complete.lua',
      find: "if ARGV[6] then redis.call('HSET', KEYS[1], 'unkept', ARGV[6]) end\n",
      replace: '',
    },
  ],
  hunt: {
    killedBy: [],
    scenarios: ['competing-consumers'],
  },
})
