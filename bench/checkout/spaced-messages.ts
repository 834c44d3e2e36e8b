import type { Plan } from '../../src/contract/api/plan.ts'

/**
 * A plan with the given number of messages: no faults, a separate key for each message, one message
 * every two milliseconds.
 */
export function spacedMessages({ messages, consumers }: { messages: number; consumers: number }): Plan {
  return {
    consumers,
    messages: Array.from({ length: messages }, (_, at) => {
      return { key: `order-${at + 1}`, payload: { order: at + 1, amountCents: 1000 }, publishAtMs: at * 2 }
    }),
    leaseMs: 1000,
    retentionMs: 86_400_000,
    visibilityMs: 2000,
    redeliveryMs: 200,
    maxAttempts: 50,
    effectMs: 1,
    effectTimeoutMs: 1000,
    faults: [],
  }
}

/** A plan without consumers, whose runs cost only the publishing. */
export function publishOnly({ messages }: { messages: number }): Plan {
  return spacedMessages({ messages, consumers: 0 })
}
