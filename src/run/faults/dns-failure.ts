import fc from 'fast-check'
import { atTime, durationMs, type Fault } from './fault.ts'

/** Names do not resolve; connections that stand are not touched. All connections are reset first, so that it matters. */
export const dnsFailure: Fault = {
  kind: 'dns-failure',
  about: 'the connections to Redis break, and its name does not resolve for a while',
  needs: 'a name that resolves',
  draw: (scope) => fc.record({ kind: fc.constant('dns-failure'), when: atTime(scope), healAfterMs: durationMs() }),
  strike(target) {
    if (!target.names(false)) return null
    for (const connection of [...target.network.connections])
      if (connection.state === 'open') connection.break('ECONNRESET')
    return {
      sentence: 'the connections to redis break, and its name does not resolve',
      heal() {
        target.names(true)
        return 'the name of redis resolves again'
      },
    }
  },
}
