import { defineMutant } from '../../../src/contract/api/canary.ts'

export default defineMutant({
  id: 'canary-fingerprint-of-delivery',
  about: 'Puts the time of arrival into the fingerprint.',
  breaks: 'A key never stands for two payloads, nor for two produced-at times, and a record never for two keys',
  patches: [
    {
      file: 'src/impl/records.ts',
      find: ' fingerprintOf(key, payloadJson, producedAt)',
      replace: ' fingerprintOf(key, `${payloadJson} ${Date.now()}`, producedAt)',
    },
  ],
  hunt: {
    killedBy: [],
    scenarios: ['competing-consumers'],
  },
})
