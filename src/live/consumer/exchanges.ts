/**
 * What left this process, and when it was answered: by that the harness sees whether a fault of a
 * link had its effect.
 */
import { monotonicMs } from '../host/monotonic.ts'
import { report } from './gates.ts'

/** By which link it goes; of Redis, on which connection, and which labelled command it is. */
interface Route {
  readonly port: number
  readonly connection?: number
  readonly command?: number
}

let exchanges = 0

/** Said as it leaves. Answers what is to be called when its answer is there. */
export function noteExchange(route: Route): () => void {
  const exchange = ++exchanges
  report({ type: 'exchange-sent', exchange, ...route, atMs: monotonicMs() })
  return () => report({ type: 'exchange-answered', exchange, atMs: monotonicMs() })
}
