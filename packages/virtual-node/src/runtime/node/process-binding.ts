/**
 * `process.binding` returns Node's internal modules. Packages request one and continue without it
 * (lodash: `util`, in a `try`). Modules without side effects are returned as in Node. Other modules
 * can be requested, but their members cannot be used.
 */
import { within } from '../current.ts'
import { probed } from './probes.ts'
import { replaceFunction } from './replace.ts'
import { standIn } from './stand-in.ts'

/** Tables and functions that depend only on their arguments. */
const asIs = new Set(['config', 'constants', 'natives', 'util', 'uv'])

export function installProcessBinding(): void {
  const { binding } = process as unknown as { binding: (name: string) => object }
  replaceFunction(process, 'binding', (_process, name: string) => {
    probed(`process.binding('${name}')`)
    const real = within(null, () => withoutWarning(() => binding.call(process, name)))
    return asIs.has(name) ? real : standIn(real, `process.binding('${name}')`, true)
  })
}

/** Node warns about some modules once, on the standard error of the harness. */
function withoutWarning<T>(ask: () => T): T {
  const { noDeprecation } = process
  process.noDeprecation = true
  try {
    return ask()
  } finally {
    Object.assign(process, { noDeprecation })
  }
}
