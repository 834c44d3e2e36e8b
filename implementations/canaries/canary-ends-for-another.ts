import { defineMutant } from '../../src/contract/api/canary.ts'

export default defineMutant({
  id: 'canary-ends-for-another',
  about: 'Whoever has the receipt records it: two attempts that got one have performed the same message, after all.',
  adapter: 'implementations/correct/cancel-before-repeat.ts',
  patches: [
    {
      file: 'implementations/correct/cancel-before-repeat.ts',
      find: 'if record.attempts[#record.attempts] ~= ARGV[1] then return 0 end\n',
      replace: '',
    },
  ],
  hunt: {
    killedBy: ['pause'],
    scenarios: ['only-pauses'],
    sink: 'cancellable',
  },
})
