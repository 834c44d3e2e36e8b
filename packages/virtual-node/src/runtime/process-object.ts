import { EventEmitter } from 'node:events'
import { caller } from './current.ts'
import type { VirtualProcess } from './process.ts'

/**
 * `process` as an event emitter, and the ways in which a process ends itself. Each virtual process
 * has separate listeners; no signal ever arrives. `process.exit` ends only that process.
 */
const emitterMethods = [
  'on',
  'addListener',
  'once',
  'prependListener',
  'prependOnceListener',
  'off',
  'removeListener',
  'removeAllListeners',
  'listeners',
  'rawListeners',
  'listenerCount',
  'eventNames',
  'setMaxListeners',
  'getMaxListeners',
] as const

type AnyFunction = (...args: unknown[]) => unknown

function installEvents(): void {
  const functions = process as unknown as Record<string, AnyFunction>
  for (const name of emitterMethods) {
    const realMethod = functions[name]!
    const method = EventEmitter.prototype[name] as AnyFunction
    functions[name] = (...args: unknown[]) => {
      const virtual = caller()
      if (virtual === null) return Reflect.apply(realMethod, process, args)
      const answer = Reflect.apply(method, virtual.events, args)
      return answer === virtual.events ? process : answer
    }
  }
  const realEmit = process.emit as AnyFunction
  functions.emit = (name: unknown, ...args: unknown[]) => {
    const virtual = caller()
    if (virtual !== null && virtual.events.listenerCount(name as string) > 0)
      return virtual.events.emit(name as string, ...args)
    // Node itself emits these two events, and the current run listens to them.
    if (virtual !== null && name !== 'unhandledRejection' && name !== 'uncaughtException') return false
    return Reflect.apply(realEmit, process, [name, ...args])
  }
}

/**
 * Thrown in the code that called `process.exit`, so that it does not continue. Further actions of
 * that code have no effect.
 */
class Ended extends Error {
  override readonly name = 'Ended'
}

function endItself(virtual: VirtualProcess, how: string): never {
  if (virtual.state !== 'ended') virtual.host.died(virtual, new Ended(how))
  throw new Ended(how)
}

function installEnds(): void {
  const { exit, abort, kill } = process
  let outside = exit
  const virtualExit = ((code?: number) => {
    const virtual = caller()
    if (virtual === null) return outside.call(process, code)
    if (virtual.state !== 'ended') virtual.events.emit('exit', code ?? 0)
    return endItself(virtual, `process.exit(${code ?? ''})`)
  }) as typeof process.exit
  // A test runner replaces `exit` for each test file and restores it afterwards. Such an assignment
  // changes only the real `exit`.
  Object.defineProperty(process, 'exit', {
    get: () => virtualExit,
    set: (next) => (outside = next === virtualExit ? exit : next),
    configurable: true,
  })
  process.abort = () => {
    const virtual = caller()
    return virtual === null ? abort.call(process) : endItself(virtual, 'process.abort()')
  }
  process.kill = (pid: number, signal: string | number = 'SIGTERM') => {
    const virtual = caller()
    if (virtual === null) return kill.call(process, pid, signal)
    if (pid !== virtual.pid) {
      const error = new Error('kill ESRCH')
      throw Object.assign(error, { errno: -3, code: 'ESRCH', syscall: 'kill' })
    }
    return signal === 0 ? true : endItself(virtual, `process.kill(process.pid, ${signal})`)
  }
}

export function installProcessObject(): void {
  installEvents()
  installEnds()
}
