import fc from 'fast-check'
import { atTime, durationMs, type Fault } from './fault.ts'

/**
 * Host names do not resolve. All connections are reset first, because a DNS failure does not affect
 * open connections.
 */
export const dnsFailure: Fault = {
  kind: 'dns-failure',
  about: 'the connections to Redis break, and its name does not resolve for a while',
  delays: 'all',
  needs: 'a name that resolves',
  draw: (scope) => fc.record({ kind: fc.constant('dns-failure'), when: atTime(scope), healAfterMs: durationMs() }),
  strike: () => ({
    action: { do: 'resolve-names', on: false },
    sentence: 'the connections to redis break, and its name does not resolve',
    heal: () => ({ action: { do: 'resolve-names', on: true }, sentence: 'the name of redis resolves again' }),
  }),
}
