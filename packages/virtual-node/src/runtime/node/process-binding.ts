/**
 * `process.binding` gives Node's inner modules. Packages ask for one and go on without it: lodash
 * does so for `util`, in a `try`. Modules that depend on nothing are answered as Node does. Any
 * other can be asked for, and none of its members can be used.
 */
import { within } from '../current.ts'
import { probed } from './probes.ts'
import { replaceFunction } from './replace.ts'
import { standIn } from './stand-in.ts'

/** Tables and functions that depend on their arguments alone. */
const asIs = new Set(['config', 'constants', 'natives', 'util', 'uv'])

export function installProcessBinding(): void {
  const { binding } = process as unknown as { binding: (name: string) => object }
  replaceFunction(process, 'binding', (_process, name: string) => {
    probed(`process.binding('${name}')`)
    const real = within(null, () => withoutWarning(() => binding.call(process, name)))
    return asIs.has(name) ? real : standIn(real, `process.binding('${name}')`, true)
  })
}

/** Node warns of some modules once, on the standard error of the harness. */
function withoutWarning<T>(ask: () => T): T {
  const { noDeprecation } = process
  process.noDeprecation = true
  try {
    return ask()
  } finally {
    Object.assign(process, { noDeprecation })
  }
}
