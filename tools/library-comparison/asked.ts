/** The questions to every library of the comparison: the columns, each with its scenario. */
import type { InvariantName } from '../../src/contract/api/verdict.ts'

/** As the adapters' headers name them, too. */
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

/** A column of its own, over all scenarios: a cell is about effects and answers. */
export const leftBehind: InvariantName = 'no-immortal-keys'

/** What a header may be about. */
export type Asked = Question | 'keys'

export const allAsked: readonly Asked[] = [...(Object.keys(questions) as Question[]), 'keys']
