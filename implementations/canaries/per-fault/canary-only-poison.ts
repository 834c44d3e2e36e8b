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
            // Single failures are another kind of faults.
            return failures >= 3 ? await perform(request) : receipt
          } catch (error) {
            // The sink says so when it had done the work: then nothing is tried again.
            if ((error as Error).message !== '502 from the sink') throw error
            await sleep(20)
          }
        }
      },
    }
  },
)
