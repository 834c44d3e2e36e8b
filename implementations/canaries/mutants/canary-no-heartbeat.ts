import { defineMutant } from '../../../src/contract/api/canary.ts'

export default defineMutant({
  id: 'canary-no-heartbeat',
  about: 'Sends no heartbeat.',
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
