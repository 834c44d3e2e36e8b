/**
 * Records when requests were sent and answered, so that the harness can determine whether a link
 * fault had an effect.
 */
import { monotonicMs } from '../host/monotonic.ts'
import { report } from './gates.ts'

/**
 * The link that the exchange uses; for a store, also the connection and the number of a labelled
 * command.
 */
interface Route {
  readonly port: number
  readonly connection?: number
  readonly command?: number
}

let exchanges = 0

/** Reports that a request is sent. Returns a function to call when the answer has arrived. */
export function noteExchange(route: Route): () => void {
  const exchange = ++exchanges
  report({ type: 'exchange-sent', exchange, ...route, atMs: monotonicMs() })
  return () => report({ type: 'exchange-answered', exchange, atMs: monotonicMs() })
}
