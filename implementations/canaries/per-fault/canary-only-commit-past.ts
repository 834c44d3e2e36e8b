import { perFaultCanary } from '../parts/per-fault.ts'

export default perFaultCanary(
  {
    id: 'canary-only-commit-past',
    about:
      'Its producer publishes again what was never finished: so it was not, and here it is done whatever the record says.',
    kind: 'commit-past',
    scenarios: ['redelivery-storm'],
  },
  ({ context: { sink } }) => ({
    async handle(message, handle) {
      const { id, key, payload } = message
      if (id.endsWith('-again')) await sink.perform({ key, payload })
      return handle(message)
    },
  }),
)
