import Module, { isBuiltin } from 'node:module'
import path from 'node:path'
import { caller } from './current.ts'

type Load = (request: string, ...rest: unknown[]) => unknown

/**
 * A process loads modules from its own script. Node's own loader, if a program still reaches it
 * (`process.getBuiltinModule('module')`), would share the module with all other processes. Such a
 * load is refused by name.
 */
export function installRealLoads(): void {
  const loader = Module as unknown as { _load: Load }
  const realLoad = loader._load
  loader._load = (request, ...rest) => {
    const process = caller()
    if (process === null || isBuiltin(request)) return realLoad.call(Module, request, ...rest)
    const what = `the module ${path.basename(request)}, loaded past the process's own \`require\``
    process.host.unsupported(what)
    throw new Error(`${what}, is not simulated`)
  }
}
