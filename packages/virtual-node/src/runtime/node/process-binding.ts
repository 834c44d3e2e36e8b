/**
 * `process.binding` gives Node's inner modules. Packages ask for one and go on without it: lodash
 * does so for `util`, in a `try`. Modules that depend on nothing are answered as Node does. Any
 * other can be asked for, and none of its members can be used.
 */
import { within } from '../current.ts'
import { refuse } from './refuse.ts'
import { replaceFunction } from './replace.ts'

/** Tables and functions that depend on their arguments alone. */
const asIs = new Set(['config', 'constants', 'natives', 'util', 'uv'])

/** What Node 20, 22 and 24 have beside those. */
const inner = new Set(
  `async_wrap buffer cares_wrap contextify crypto fs fs_event_wrap http_parser icu inspector js_stream os pipe_wrap
    process_wrap signal_wrap spawn_sync stream_wrap tcp_wrap tls_wrap tty_wrap udp_wrap url v8 zlib`.split(/\s+/),
)

const nothing = () => {}

function unusable(what: string): object {
  return new Proxy(nothing, {
    get: (_, member) => (typeof member === 'symbol' ? undefined : unusable(`${what}.${member}`)),
    set() {
      refuse(what)
      return false
    },
    apply: () => refuse(what),
    construct() {
      refuse(`new ${what}`)
      return {}
    },
  })
}

export function installProcessBinding(): void {
  const { binding } = process as unknown as { binding: (name: string) => unknown }
  replaceFunction(process, 'binding', (_process, name: string) =>
    asIs.has(name) || !inner.has(name)
      ? within(null, () => binding.call(process, name))
      : unusable(`process.binding('${name}')`),
  )
}
