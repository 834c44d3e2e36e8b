/**
 * A copy and a rebalance look alike to a consumer: two processes have one message. They differ once
 * both have answered `retry`: a copied message returns twice, a rebalanced one once.
 */
import { randomUUID } from 'node:crypto'
import { sleep } from '../parts/look.ts'
import { perFaultCanary } from '../parts/per-fault.ts'

export default perFaultCanary(
  {
    id: 'canary-only-redelivery',
    about: 'Performs again after a rebalance.',
    kind: 'redelivery',
    scenarios: ['lost-reply'],
  },
  ({ context, open }) => {
    const client = open()
    return {
      async handle(message, handle) {
        const deliveries = `canary:deliveries:${message.id}`
        const fate = `canary:fate:${message.id}`
        const decide = async (wish: 'alone' | 'shared'): Promise<boolean> => {
          await client.set(fate, wish, 'PX', 600_000, 'NX')
          return (await client.get(fate)) === 'shared'
        }
        await client.multi().sadd(deliveries, randomUUID()).pexpire(deliveries, 600_000).exec()
        const nth = await client.scard(deliveries)
        if (nth === 1) await sleep(150)
        // If two processes have the message at once, both answer `retry`. The first process that
        // gets here decides.
        if (nth <= 2 && (await decide(nth === 1 ? 'alone' : 'shared'))) return { status: 'retry' }
        if (nth !== 3 || !(await decide('alone'))) return handle(message)
        // Longer than the broker's delay after a first `retry`.
        await sleep(2500)
        const { key, payload } = message
        if ((await client.scard(deliveries)) === 3) await context.sink.perform({ key, payload })
        return handle(message)
      },
    }
  },
)
