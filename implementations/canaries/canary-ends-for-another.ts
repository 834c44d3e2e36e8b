import { defineMutant } from '../../src/contract/api/canary.ts'

export default defineMutant({
  id: 'canary-ends-for-another',
  about: 'Records a receipt even if another attempt holds the key by now.',
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
