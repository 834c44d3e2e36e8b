import { defineMutant } from '../../../src/contract/canary.ts'

export default defineMutant({
  id: 'canary-keys-normalised',
  about: 'Two spellings of one word are one key.',
  patches: [
    {
      file: 'src/impl/identity.ts',
      find: `record: \`once:{b\${bucket}}:\${key}\``,
      replace: `record: \`once:{b\${bucket}}:\${key.normalize()}\``,
    },
  ],
  hunt: {
    killedBy: [],
    scenarios: ['competing-consumers', 'redelivery-storm'],
  },
})
