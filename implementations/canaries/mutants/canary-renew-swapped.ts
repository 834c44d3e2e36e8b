import { defineMutant } from '../../../src/contract/api/canary.ts'

export default defineMutant({
  id: 'canary-renew-swapped',
  about: 'First the times that matter most: how long the record lives, then the lease.',
  breaks: 'Through copies that come after their record has expired',
  patches: [
    {
      file: 'src/impl/records.ts',
      find: '[owner, fence, leaseMs, this.#ttlMs]',
      replace: '[owner, fence, this.#ttlMs, leaseMs]',
    },
  ],
  hunt: {
    killedBy: ['crash'],
    scenarios: ['crash-mid-logic'],
  },
})
