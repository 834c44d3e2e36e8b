import { Choices } from '../kernel/choices.ts'
import { hashText } from '../kernel/digest.ts'
import { epochMs } from '../kernel/epoch.ts'
import { Kernel } from '../kernel/kernel.ts'
import { MachineClock } from '../kernel/machine-clock.ts'
import type { ReadableFiles } from './node/readable-files.ts'
import { type ProcessHost, VirtualProcess } from './process.ts'
import { turns } from './turns.ts'

/**
 * Evaluates a module graph in a turn of a process of its own that nothing ever happens in afterwards: what modules draw
 * at load time (an owner id, a start time) is the same on every machine and differs between processes.
 * Must be called from a macrotask, as every turn (`turns.ts`).
 * Answers what the graph started that must live on (a timer, a connection), or null; such a graph cannot be reused.
 * @throws what the graph throws, or rejects with and nobody catches
 */
export function evaluateApart(processName: string, files: ReadableFiles, evaluate: () => void): string | null {
  let active: string | null = null
  const failures: unknown[] = []
  const kernel = new Kernel<VirtualProcess>(new Choices(hashText(processName, 1)), turns)
  const host: ProcessHost = {
    kernel,
    connect() {
      active = leak('a connection is opened')
      return { send() {}, finish() {}, close() {} }
    },
    resolve: (hostname) => hostname,
    timerStarted() {},
    log() {},
    died: (_process, error) => void failures.push(error),
    unsupported(what) {
      active ??= what
    },
    files,
    fileRead(what, digest) {
      if (files.loading) files.loaded.set(what, digest)
    },
  }
  const process = new VirtualProcess(
    host,
    processName,
    ...placeOf(processName),
    new MachineClock(() => kernel.nowUs, epochMs * 1000),
  )
  process.schedule = (delayUs, callback) => {
    active ??= leak('a timer is started')
    return kernel.schedule(delayUs, process, callback)
  }
  kernel.turn(process, evaluate)
  if (turns.outside() !== null) active ??= leak('work for the thread pool is started')
  if (failures.length > 0) throw failures[0]
  return active
}

const leak = (what: string) =>
  `${what} while the adapter is loaded; nothing comes of it, since its module graph is evaluated outside of any run`

/** Slot and incarnation: `consumer-3.2` is the second process in the slot 2. */
function placeOf(processName: string): [slot: number, incarnation: number] {
  const [, consumer = '1', incarnation = '1'] = /(\d+)(?:\.(\d+))?$/.exec(processName) ?? []
  return [Number(consumer) - 1, Number(incarnation)]
}
