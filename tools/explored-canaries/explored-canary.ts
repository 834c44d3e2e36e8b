/** The result of the exploration of a canary. */
export type Fate = Played | Beyond

export interface Played {
  readonly fate: 'killed' | 'holds' | 'cut'
  readonly faults: number
  readonly runs: number
  readonly seconds: number
}

/** The bound does not contain what breaks the canary. */
interface Beyond {
  readonly fate: 'beyond'
  readonly why: string
}

export type ExploredCanary = Fate & { readonly id: string }

const olderMessages = 'needs a message as old as its record'
const refusals = 'needs a sink that refuses an effect'

/** By scenario of the canary's hunt: what two deliveries of one message on one server lack. */
export const beyondByScenario: Readonly<Record<string, string>> = {
  'key-reuse': 'needs two payloads of one key',
  'messages-without-key': 'needs a message without a key',
  'edge-of-retention': olderMessages,
  'stale-message': olderMessages,
  'too-old-meanwhile': olderMessages,
  'postgres-late-copies': olderMessages,
  'refused-rows': 'needs rows whose effect is refused',
  'slow-settlement': 'needs an operator who settles doubts',
  'quorum-of-five': 'needs five servers',
  'redis-failover': 'needs a replica',
  'uncounted-replica': 'needs a replica',
}

const twoKeys = 'needs two keys'
const twoFaults = 'needs two faults'
const noResult = 'needs an effect with a falsy result'
const olderData = 'needs a message that is older than the lost data'

/** By id of a canary that holds in every order within the bound: what it needs. */
export const reasonsOfHolding: Readonly<Record<string, string>> = {
  'canary-acquires-what-is-begun': 'needs a message whose attempts are counted',
  'canary-cancels-afterwards': twoFaults,
  'canary-falsy-is-nothing': noResult,
  'canary-heartbeat-ends-with-begin': 'needs an effect that takes longer than the lease',
  'canary-key-cut': twoKeys,
  'canary-keys-cut': twoKeys,
  'canary-keys-folded': twoKeys,
  'canary-keys-in-latin1': twoKeys,
  'canary-keys-normalised': twoKeys,
  'canary-keys-punctuation': twoKeys,
  'canary-no-result-is-not-done': noResult,
  'canary-only-effect-fails-before': refusals,
  'canary-prepare-failure-ignored': 'needs a step before the effect that fails',
  'canary-refused-may-be-tried': refusals,
  'canary-skew-left-out': olderData,
  'canary-stamps-anew': olderData,
}
