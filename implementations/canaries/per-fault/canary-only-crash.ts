import { suspicious } from '../parts/per-fault.ts'

export default suspicious(
  {
    id: 'canary-only-crash',
    about:
      'Started in place of a consumer that died: what that one was doing is certainly lost, so everything is done here, twice.',
    kind: 'crash',
    scenarios: ['crash-mid-logic', 'competing-consumers'],
  },
  async ({ context }) => context.instanceId.includes('.'),
)
