import os from 'node:os'
import { caller } from './current.ts'
import { real } from './real.ts'

/**
 * Owner tokens are made of these. If processes shared them, tokens would collide that real ones
 * cannot.
 */
export function installIdentity(): void {
  Object.defineProperty(process, 'pid', { get: () => caller()?.pid ?? real.pid, configurable: true, enumerable: true })
  process.uptime = () => {
    const virtual = caller()
    return virtual === null ? real.uptime.call(process) : virtual.monotonicUs() / 1_000_000
  }
  os.hostname = () => caller()?.hostname ?? real.hostname()
}
