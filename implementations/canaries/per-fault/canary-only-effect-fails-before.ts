import { isSinkRefusal } from '../../../src/contract/api/sink.ts'
import { perFaultCanary } from '../parts/per-fault.ts'

export default perFaultCanary(
  {
    id: 'canary-only-effect-fails-before',
    about: 'Answers done if the sink refuses.',
    kind: 'effect-fails-before',
    scenarios: ['lost-reply'],
  },
  () => ({
    perform: (request, perform) =>
      perform(request).catch((error: unknown) => {
        if (!isSinkRefusal(error)) throw error
        return { effectId: 'had before', key: request.key }
      }),
  }),
)
