import { sleep } from '../parts/look.ts'
import { perFaultCanary } from '../parts/per-fault.ts'

export default perFaultCanary(
  {
    id: 'canary-only-poison',
    about: 'Performs again after the sink has failed three times in a row.',
    kind: 'poison',
    scenarios: ['poison-handler'],
  },
  () => {
    return {
      async perform(request, perform) {
        for (let failures = 0; ; failures++) {
          try {
            const receipt = await perform(request)
            // Single failures are another kind of fault.
            return failures >= 3 ? await perform(request) : receipt
          } catch (error) {
            // After another error, the sink may have done the work: no retry.
            if ((error as Error).message !== '502 from the sink') throw error
            await sleep(20)
          }
        }
      },
    }
  },
)
