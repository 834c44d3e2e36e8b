import { defineMutant } from '../../../src/contract/canary.ts'

export default defineMutant({
  id: 'canary-keys-cut',
  about: 'Sixteen characters tell keys apart.',
  patches: [
    {
      file: 'src/impl/identity.ts',
      find: `record: \`once:{b\${bucket}}:\${key}\``,
      replace: `record: \`once:{b\${bucket}}:\${key.slice(0, 16)}\``,
    },
  ],
  hunt: {
    killedBy: [],
    scenarios: ['competing-consumers', 'redelivery-storm'],
  },
})
