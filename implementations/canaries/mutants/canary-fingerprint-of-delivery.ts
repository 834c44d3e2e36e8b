import { defineMutant } from '../../../src/contract/canary.ts'

export default defineMutant({
  id: 'canary-fingerprint-of-delivery',
  about: 'A fingerprint is over everything that came, the time of arrival too.',
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
