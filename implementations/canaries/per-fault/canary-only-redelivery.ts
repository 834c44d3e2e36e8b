/**
 * A copy and a rebalance look alike to a consumer: two processes have one message. They differ in what follows when both
 * answer `retry`: of a copy both deliveries come again, of a rebalanced message one does.
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
        // Two that had it at once have both put it off; it is decided once, by the one that comes first.
        if (nth <= 2 && (await decide(nth === 1 ? 'alone' : 'shared'))) return { status: 'retry' }
        if (nth !== 3 || !(await decide('alone'))) return handle(message)
        // Longer than a broker waits before it delivers again what was put off once.
        await sleep(2500)
        const { key, payload } = message
        if ((await client.scard(deliveries)) === 3) await context.sink.perform({ key, payload })
        return handle(message)
      },
    }
  },
)
