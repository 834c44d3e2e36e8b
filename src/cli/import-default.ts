/**
 * A file of the user's own, imported as an ES module whatever the package.json beside it says: how `.ts` and `.js` are
 * read otherwise hangs on its `type`, and most folders have none.
 */
import { pathToFileURL } from 'node:url'
import { compileModule } from '../sim/runtime/compile-module.ts'
import { LoadError } from '../sim/runtime/load-implementation.ts'
import { packageFolder } from './catalogue.ts'
import { moduleOf } from './compiled.ts'

/** The default export of a file. @throws LoadError when it cannot be compiled, and whatever the file throws */
export async function importDefault(file: string): Promise<unknown> {
  const module = await inTime(file, import(await urlOf(file)))
  return module.default
}

async function urlOf(file: string): Promise<string> {
  const ours = moduleOf(file)
  if (ours !== null) return pathToFileURL(ours).href
  const code = await compileModule(file, packageFolder, moduleOf)
  return `data:text/javascript;base64,${Buffer.from(code).toString('base64')}`
}

const patienceMs = 10_000

/** A top-level `await` may wait for ever. */
async function inTime<T>(file: string, loading: Promise<T>): Promise<T> {
  let timer: NodeJS.Timeout | undefined
  const late = new Promise<never>((_, reject) => {
    const error = new LoadError(file, `it is not loaded after ${patienceMs / 1000} s; what does it \`await\`?`)
    timer = setTimeout(() => reject(error), patienceMs)
  })
  return Promise.race([loading, late]).finally(() => clearTimeout(timer))
}
