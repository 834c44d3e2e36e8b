import { format } from 'node:util'
import { caller } from './current.ts'

const streams = {
  log: 'stdout',
  info: 'stdout',
  debug: 'stdout',
  warn: 'stderr',
  error: 'stderr',
  trace: 'stderr',
} as const

/** What a process prints is kept by the world with its virtual time and name, and shown by `replay`. */
export function installConsole(): void {
  for (const [method, stream] of Object.entries(streams)) {
    const name = method as keyof typeof streams
    const realMethod = console[name]
    console[name] = (...args: unknown[]) => {
      const process = caller()
      if (process === null) realMethod.apply(console, args)
      else if (process.state !== 'ended') process.host.log(process, stream, format(...args))
    }
  }
  for (const stream of ['stdout', 'stderr'] as const) {
    const realWrite = process[stream].write
    process[stream].write = ((chunk: string | Uint8Array, ...rest: unknown[]) => {
      const virtual = caller()
      if (virtual === null) return Reflect.apply(realWrite, process[stream], [chunk, ...rest])
      const text = Buffer.from(chunk as Uint8Array).toString('utf8')
      if (virtual.state !== 'ended') virtual.host.log(virtual, stream, text.replace(/\n$/, ''))
      const done = rest.at(-1)
      if (typeof done === 'function') virtual.schedule(0, done as () => void)
      return true
    }) as typeof process.stdout.write
  }
}
