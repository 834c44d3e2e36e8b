import { perFaultCanary } from '../parts/per-fault.ts'

export default perFaultCanary(
  {
    id: 'canary-only-effect-fails-after',
    about: 'Asks the sink again after a 502.',
    kind: 'effect-fails-after',
    scenarios: ['lost-reply'],
  },
  () => ({
    perform: (request, perform) =>
      perform(request).catch((error: Error) => {
        if (error.name !== 'SinkUnavailable') throw error
        return perform(request)
      }),
  }),
)
