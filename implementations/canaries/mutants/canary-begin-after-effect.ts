import { defineMutant } from '../../../src/contract/api/canary.ts'

export default defineMutant({
  id: 'canary-begin-after-effect',
  about: 'Records the begin after the effect.',
  breaks: 'Through a crash anywhere',
  patches: [
    {
      file: 'src/impl/attempt.ts',
      find: 'const begun = await layer.records.begin(hold, nonce, prepared.meta)',
      replace:
        'const receipt = await work.effect({ key: hold.key, fence: hold.fence, signal: lease.signal }, prepared.value)\n    const begun = await layer.records.begin(hold, nonce, prepared.meta)',
    },
    {
      file: 'src/impl/attempt.ts',
      find: '(given) => work.effect(given, prepared.value)',
      replace: 'async () => receipt',
    },
  ],
  hunt: {
    killedBy: ['crash', 'pause'],
    scenarios: ['crash-mid-logic', 'slow-lock-holder'],
  },
})
