import os from 'node:os'
import { caller } from './current.ts'
import { real } from './real.ts'

/**
 * Layers make owner tokens of the process id, the uptime and the host name. If processes shared
 * these values, tokens that differ in production could be equal.
 */
export function installIdentity(): void {
  Object.defineProperty(process, 'pid', { get: () => caller()?.pid ?? real.pid, configurable: true, enumerable: true })
  process.uptime = () => {
    const virtual = caller()
    return virtual === null ? real.uptime.call(process) : virtual.monotonicUs() / 1_000_000
  }
  os.hostname = () => caller()?.hostname ?? real.hostname()
}
