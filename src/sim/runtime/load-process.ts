import { Choices } from '../kernel/choices.ts'
import { hashText } from '../kernel/digest.ts'
import { Kernel } from '../kernel/kernel.ts'
import { within } from './current.ts'
import { type ProcessHost, VirtualProcess } from './process.ts'
import { turns } from './turns.ts'

/**
 * Evaluates a module graph in a process of its own that nothing ever happens in: what modules draw at load time
 * (an owner id, a start time) is the same on every machine and differs between processes.
 * Answers what the graph started that must live on (a timer, a connection), or null; such a graph cannot be reused.
 */
export function evaluateApart(processName: string, evaluate: () => void): string | null {
  let active: string | null = null
  const kernel = new Kernel<VirtualProcess>(new Choices(hashText(processName, 1)), turns)
  const host: ProcessHost = {
    kernel,
    epochMs: 0,
    connect() {
      active = 'a connection is opened while the adapter is loaded'
      return { send() {}, finish() {}, close() {} }
    },
    resolve: (hostname) => hostname,
    log() {},
    died(_process, error) {
      throw error
    },
    unsupported() {},
  }
  const process = new VirtualProcess(host, processName, 0, 0)
  process.schedule = (delayUs, callback) => {
    active ??= 'a timer is started while the adapter is loaded'
    return kernel.schedule(delayUs, process, callback)
  }
  within(process, evaluate)
  return active === null ? null : `${active}; it never fires, since its module graph is evaluated outside of any run`
}
