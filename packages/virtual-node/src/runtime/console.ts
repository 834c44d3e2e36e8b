import { Console } from 'node:console'
import { format } from 'node:util'
import { caller } from './current.ts'
import { replaceFunction } from './node/replace.ts'
import type { VirtualProcess } from './process.ts'

const streams = {
  log: 'stdout',
  info: 'stdout',
  debug: 'stdout',
  warn: 'stderr',
  error: 'stderr',
  trace: 'stderr',
} as const

/** Methods that keep state between calls, or that format their output. */
const stateful = `assert count countReset dir dirxml group groupCollapsed groupEnd table time timeEnd timeLog`.split(
  ' ',
)

/** A console with separate counts, groups and timers. */
function consoleOf({ own }: VirtualProcess): Console {
  return (own.console ??= new Console(process.stdout, process.stderr))
}

/** The world keeps the output of a process with its virtual time and name; `replay` shows it. */
export function installConsole(): void {
  for (const [method, stream] of Object.entries(streams)) {
    const name = method as keyof typeof streams
    const realMethod = console[name]
    console[name] = (...args: unknown[]) => {
      const process = caller()
      if (process === null) realMethod.apply(console, args)
      else if (process.own.console !== null) process.own.console[name](...args)
      else if (process.state !== 'ended') process.host.log(process, stream, format(...args))
    }
  }
  for (const name of stateful)
    replaceFunction(console, name, (process, ...args: unknown[]) =>
      (consoleOf(process) as unknown as Record<string, (...args: unknown[]) => void>)[name]!(...args),
    )
  replaceFunction(console, 'clear', () => undefined)
  for (const stream of ['stdout', 'stderr'] as const) {
    const realWrite = process[stream].write
    process[stream].write = ((chunk: string | Uint8Array, ...rest: unknown[]) => {
      const virtual = caller()
      if (virtual === null) return Reflect.apply(realWrite, process[stream], [chunk, ...rest])
      const text = Buffer.from(chunk as Uint8Array).toString('utf8')
      if (virtual.state !== 'ended') virtual.host.log(virtual, stream, text.replace(/\n$/, ''))
      const done = rest.at(-1)
      if (typeof done === 'function') virtual.callBack(done as () => void)
      return true
    }) as typeof process.stdout.write
  }
}
