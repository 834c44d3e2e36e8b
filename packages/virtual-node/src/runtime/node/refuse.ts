/**
 * Refuses members of Node's API in a process, and reports them by name, whatever the layer does
 * with the error.
 */
import { caller } from '../current.ts'
import type { VirtualProcess } from '../process.ts'
import { whoAsks } from '../user-sources.ts'

/** The error for code in a process that uses a member without a simulation. */
export class NotSimulatedError extends Error {
  override readonly name = 'NotSimulatedError'
  readonly code = 'ERR_NOT_SIMULATED'
  constructor(what: string) {
    super(`${what} is not simulated`)
  }
}

/** Reports the feature with the package, the file and the line that used it. */
export function report({ host }: VirtualProcess, what: string): void {
  const from = whoAsks()
  host.unsupported(from === null ? what : `${what} (${from})`)
}

/**
 * In a process, reports the feature, which makes the result of the run unknown. Then throws,
 * because results of real Node would arrive at a real time, outside of all turns.
 * @throws NotSimulatedError
 */
export function refuse(what: string, why = 'which leaves the simulation'): void {
  const process = caller()
  if (process === null) return
  report(process, `${what}, ${why}`)
  throw new NotSimulatedError(what)
}
