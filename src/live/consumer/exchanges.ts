/**
 * Records requests and response times, so that the harness can tell whether a link fault took
 * effect.
 */
import { monotonicMs } from '../host/monotonic.ts'
import { report } from './gates.ts'

/** The link that it uses; for a store, also the connection and the number of a labelled command. */
interface Route {
  readonly port: number
  readonly connection?: number
  readonly command?: number
}

let exchanges = 0

/** Reports that it leaves. Returns a function to call when its answer has arrived. */
export function noteExchange(route: Route): () => void {
  const exchange = ++exchanges
  report({ type: 'exchange-sent', exchange, ...route, atMs: monotonicMs() })
  return () => report({ type: 'exchange-answered', exchange, atMs: monotonicMs() })
}
