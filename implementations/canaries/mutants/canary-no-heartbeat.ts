import { defineMutant } from '../../../src/contract/api/canary.ts'

export default defineMutant({
  id: 'canary-no-heartbeat',
  about: 'A holder that needs longer than its lease has too short a lease.',
  breaks: 'Through a pause, or an effect longer than the lease',
  adapter: 'implementations/reference/reference-prepares.ts',
  patches: [
    {
      file: 'src/impl/lease.ts',
      find: `    this.#heartbeat = setTimeout(() => void this.#renew(), this.#leaseMs / 3)
`,
      replace: '',
    },
  ],
  hunt: {
    killedBy: [],
    scenarios: ['competing-consumers'],
  },
})
