/** SELECT … FOR UPDATE SKIP LOCKED without a transaction: the lock ends with the statement. */
import { outboxRelay } from '../../campaign/why/layers/outbox-relay.ts'

const declared = { recoveryBoundMs: 120_000, sinks: ['plain', 'keyed'], lacks: ['stored-result', 'lease'] } as const

export const bug = { ...outboxRelay(), ...declared, id: 'outbox-locked-for-a-statement' }
export const fix = { ...outboxRelay({ commits: true }), ...declared, id: 'outbox-locked-until-it-is-sent' }
