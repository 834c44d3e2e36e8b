import { suspicious } from '../parts/per-fault.ts'

export default suspicious(
  {
    id: 'canary-only-crash',
    about: 'Performs twice if it replaces a consumer that died.',
    kind: 'crash',
    scenarios: ['crash-mid-logic', 'competing-consumers'],
  },
  async ({ context }) => context.instanceId.includes('.'),
)
