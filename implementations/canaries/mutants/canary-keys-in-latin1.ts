import { defineMutant } from '../../../src/contract/api/canary.ts'

export default defineMutant({
  id: 'canary-keys-in-latin1',
  about: 'Encodes keys in Latin-1.',
  breaks: 'A key never stands for two payloads, nor for two produced-at times, and a record never for two keys',
  patches: [
    {
      file: 'src/impl/identity.ts',
      find: `record: \`\${prefix}{b\${bucket}}:\${key}\``,
      replace: `record: \`\${prefix}{b\${bucket}}:\${Buffer.from(key, 'latin1').toString('latin1')}\``,
    },
  ],
  hunt: {
    killedBy: [],
    scenarios: ['competing-consumers', 'redelivery-storm'],
  },
})
