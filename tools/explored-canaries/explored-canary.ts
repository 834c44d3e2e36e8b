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
  'canary-acquired-for-ever': 'needs a message that does not come again',
  'canary-acquires-what-is-begun': 'needs a message whose attempts are counted',
  'canary-barred-fence-forgotten': twoFaults,
  'canary-begins-after-a-loss': twoFaults,
  'canary-begins-in-any-generation': twoFaults,
  'canary-cancels-afterwards': twoFaults,
  'canary-falsy-is-nothing': noResult,
  'canary-fence-is-the-time': twoFaults,
  'canary-heartbeat-ends-with-begin': 'needs an effect that takes longer than the lease',
  'canary-highest-fence-forgotten': twoFaults,
  'canary-key-cut': twoKeys,
  'canary-keys-cut': twoKeys,
  'canary-keys-folded': twoKeys,
  'canary-keys-in-latin1': twoKeys,
  'canary-keys-normalised': twoKeys,
  'canary-keys-punctuation': twoKeys,
  'canary-lease-outlives-clock': twoFaults,
  'canary-no-result-is-not-done': noResult,
  'canary-no-wait': twoFaults,
  'canary-one-replica-less': twoFaults,
  'canary-prepare-failure-ignored': 'needs a step before the effect that fails',
  'canary-skew-left-out': olderData,
  'canary-stamps-anew': olderData,
  'canary-undo-drops-the-record': twoFaults,
}
