/**
 * WebAssembly compiles on separate threads. In a process, compiling takes no virtual time: the
 * synchronous constructors compile a module at once, and a separate turn returns it.
 */
import type { VirtualProcess } from '../process.ts'
import { nodeCalls } from './refuse-member.ts'
import { replaceFunction } from './replace.ts'

type Twin = new (...args: unknown[]) => object

interface Api {
  readonly Module: Twin
  readonly Instance: Twin
  readonly compile: (...args: unknown[]) => unknown
}

// The types of Node 20 do not declare `WebAssembly`.
const api = (globalThis as unknown as { WebAssembly: Api }).WebAssembly

/** Errors name the called function: `WebAssembly.compile(): expected magic word …`. */
function make(twin: Twin, called: 'compile' | 'instantiate', args: readonly unknown[]): object {
  try {
    return Reflect.construct(twin, args)
  } catch (error) {
    if (error instanceof Error) {
      const { message } = error
      error.message = message.replace(/^WebAssembly\.(Module|Instance)\(\)/, `WebAssembly.${called}()`)
      if (called === 'instantiate')
        error.message = error.message.replace(/a buffer source$/, 'a buffer source or a WebAssembly.Module object')
    }
    throw error
  }
}

/** Compiles the current bytes: changes before the result arrives have no effect. */
function compiled(
  process: VirtualProcess,
  called: 'compile' | 'instantiate',
  args: readonly unknown[],
): Promise<object> {
  return new Promise((resolve, reject) => {
    try {
      const module = make(api.Module, called, args)
      process.schedule(0, () => resolve(module))
    } catch (error) {
      process.schedule(0, () => reject(error))
    }
  })
}

async function instantiated(process: VirtualProcess, source: unknown, imports: unknown): Promise<object> {
  if (source instanceof api.Module) return make(api.Instance, 'instantiate', [source, imports])
  const module = await compiled(process, 'instantiate', [source])
  return { module, instance: make(api.Instance, 'instantiate', [module, imports]) }
}

export function installWebAssembly(): void {
  const { compile } = api
  replaceFunction(api, 'compile', (process, ...args: unknown[]) =>
    // If Node itself compiles a module, all processes share it, so it is compiled outside of the
    // process.
    nodeCalls('WebAssembly.compile') ? Reflect.apply(compile, api, args) : compiled(process, 'compile', args),
  )
  replaceFunction(api, 'instantiate', (process, source: unknown, imports: unknown) =>
    instantiated(process, source, imports),
  )
}
