import { perFaultCanary } from '../parts/per-fault.ts'

export default perFaultCanary(
  {
    id: 'canary-only-commit-past',
    about: 'Performs a message again that its producer published again.',
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
