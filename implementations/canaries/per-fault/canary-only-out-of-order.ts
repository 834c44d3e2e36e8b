import type { Message } from '../../../src/contract/api/message.ts'
import { seenInTime, sleep } from '../parts/look.ts'
import { perFaultCanary } from '../parts/per-fault.ts'

/** Messages that two consumers receive within this time were delivered together, in ms. */
const togetherMs = 4

export default perFaultCanary(
  {
    id: 'canary-only-out-of-order',
    about: 'Performs again if old and new messages arrive together.',
    kind: 'out-of-order',
    scenarios: ['redelivery-storm', 'everything'],
  },
  ({ context, open }) => {
    const client = open()
    const cameTogether = async ({ key, producedAt }: Message): Promise<boolean> => {
      // Processes start together, so this clock is comparable; clock faults do not affect it.
      const nowMs = performance.now()
      const isFirst = (await client.set(`canary:key:${key}`, 1, 'PX', 600_000, 'NX')) === 'OK'
      if (!isFirst || context.instanceId.includes('.')) return false
      await client.zadd('canary:firsts', nowMs, `${producedAt} ${context.instanceId}`)
      await client.pexpire('canary:firsts', 600_000)
      await sleep(60)
      const firsts = await client.zrangebyscore('canary:firsts', nowMs - togetherMs, nowMs + togetherMs)
      // A stopped or isolated consumer also gets a burst, but not at the same moment as another.
      return firsts
        .map((first) => first.split(' '))
        .some(([bornMs, whose]) => whose !== context.instanceId && Math.abs(Number(bornMs) - producedAt) > 30)
    }
    return {
      async handle(message, handle) {
        const { key, payload } = message
        if (await seenInTime(cameTogether(message))) await context.sink.perform({ key, payload })
        return handle(message)
      },
    }
  },
)
