import { defineMutant } from '../../../src/contract/api/canary.ts'

export default defineMutant({
  id: 'canary-keys-folded',
  about: 'Ignores upper and lower case in keys.',
  breaks: 'A key never stands for two payloads, nor for two produced-at times, and a record never for two keys',
  patches: [
    {
      file: 'src/impl/identity.ts',
      find: `record: \`\${prefix}{b\${bucket}}:\${key}\``,
      replace: `record: \`\${prefix}{b\${bucket}}:\${key.toLowerCase()}\``,
    },
  ],
  hunt: {
    killedBy: [],
    scenarios: ['competing-consumers', 'redelivery-storm'],
  },
})
