/**
 * The columns of the library comparison. Each column is a question to every library, and has a
 * scenario.
 */
import type { InvariantName } from '../../src/contract/api/verdict.ts'

/** The columns of the comparison by scenario. The adapters' headers use the same names. */
export const questions = {
  copies: 'only-redeliveries',
  crash: 'only-crashes',
  pause: 'only-pauses',
  'lost reply': 'only-lost-replies',
  'consumer clock': 'only-consumer-clocks',
  'Redis clock': 'only-redis-clock',
  failover: 'only-failovers',
  loss: 'redis-restart',
  expiry: 'only-expiry',
} as const

export type Question = keyof typeof questions

/**
 * Leftover keys are a separate column over all scenarios, because the other cells are about effects
 * and answers.
 */
export const leftBehind: InvariantName = 'no-immortal-keys'

/** The subjects of the list `Left` in the header of an adapter. */
export type Asked = Question | 'keys'

export const allAsked: readonly Asked[] = [...(Object.keys(questions) as Question[]), 'keys']
