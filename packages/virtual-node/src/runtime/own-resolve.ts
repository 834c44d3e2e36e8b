import Module, { createRequire, isBuiltin } from 'node:module'
import path from 'node:path'
import { caller, within } from './current.ts'
import { placeOf } from './node/files.ts'
import { digestOf } from './node/readable-files.ts'
import { environment, execPath } from './node/sees.ts'

/**
 * Node's search folders other than every `node_modules` above a file: on this machine, and on the
 * machine of the process.
 */
const ofMachine = new Set((Module as unknown as { globalPaths: readonly string[] }).globalPaths)
const { HOME } = environment
const everywhere = [`${HOME}/.node_modules`, `${HOME}/.node_libraries`, path.resolve(execPath, '../../lib/node')]

const isPath = (name: string) => /^\.{0,2}(?:\/|$)/.test(name)

/** Keeps a final `/`, which marks the path of a folder. */
const withEnd = (file: string, given: string) => (/\/$/.test(given) ? `${file}/` : file)

/**
 * `require.resolve` for code in `file`. It reads the disk: results in a process enter the run's
 * digest, and files that the process may not read are refused by name.
 */
export function ownResolve(file: string): NodeJS.RequireResolve {
  const { resolve } = createRequire(file)
  const own = (name: string, options?: { paths?: string[] | undefined }): string => {
    const process = caller()
    if (process === null || typeof name !== 'string' || isBuiltin(name)) return resolve(name, options)
    const ask = (place: string) => placeOf(process, 'require.resolve', place)!
    const from = options?.paths ?? [path.dirname(file)]
    const asked = from.map((folder) => ask(isPath(name) ? path.resolve(folder, name) : folder))
    const report = (answer: string) =>
      process.host.fileRead(
        isPath(name)
          ? `resolve ${asked.map((place) => place.name).join()}`
          : `resolve ${name} from ${process.host.files.place(file).name}`,
        digestOf(answer),
      )
    const seen = asked.length === 1 && isPath(name) ? asked[0]! : null
    try {
      const found = within(null, () => resolve(seen === null ? name : withEnd(seen.real, name), options))
      report(ask(found).name)
      return seen?.virtual ? process.host.files.seenAs(found) : found
    } catch (error) {
      const { code } = error as { code?: string }
      if (code === 'ERR_NOT_SIMULATED') throw error
      report(String(code))
      throw error
    }
  }
  const paths = (name: string): string[] | null => {
    const found = resolve.paths(name)
    if (caller() === null || found === null || isPath(name)) return found
    return [...found.filter((folder) => !ofMachine.has(folder)), ...everywhere]
  }
  return Object.assign(own, { paths })
}
