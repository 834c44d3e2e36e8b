/** The questions to every library of the comparison: the columns, each with its scenario. */
import type { InvariantName } from '../../src/contract/api/verdict.ts'

/** The adapters' headers use the same names. */
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

/** A separate column over all scenarios, because a cell is about effects and answers. */
export const leftBehind: InvariantName = 'no-immortal-keys'

/** The subjects of a header's list. */
export type Asked = Question | 'keys'

export const allAsked: readonly Asked[] = [...(Object.keys(questions) as Question[]), 'keys']
