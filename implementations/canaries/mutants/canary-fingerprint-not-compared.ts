import { defineMutant } from '../../../src/contract/api/canary.ts'

export default defineMutant({
  id: 'canary-fingerprint-not-compared',
  about: 'Does not compare the payload of a key.',
  breaks: 'A key never stands for two payloads, nor for two produced-at times, and a record never for two keys',
  patches: [
    {
      file: 'lua/acquire.lua',
      find: `if state and fingerprint ~= ARGV[4] and fingerprint ~= ARGV[9] then
  return {'conflict', fingerprint, redis.call('HGET', KEYS[1], 'produced') or ''}
end
`,
      replace: '',
    },
  ],
  hunt: {
    killedBy: [],
    scenarios: ['key-reuse'],
  },
})
