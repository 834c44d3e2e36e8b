import { defineMutant } from '../../../src/contract/api/canary.ts'

export default defineMutant({
  id: 'canary-keys-punctuation',
  about: 'Replaces punctuation in keys by dashes.',
  breaks: 'A key never stands for two payloads, nor for two produced-at times, and a record never for two keys',
  patches: [
    {
      file: 'src/impl/identity.ts',
      find: `record: \`\${prefix}{b\${bucket}}:\${key}\``,
      replace: `record: \`\${prefix}{b\${bucket}}:\${key.replace(/[^\\p{L}\\p{N}]/gu, '-')}\``,
    },
  ],
  hunt: {
    killedBy: [],
    scenarios: ['competing-consumers', 'redelivery-storm'],
  },
})
