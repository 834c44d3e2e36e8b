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

/** How long a file may be waited for while there is nothing else to do, and in all. */
export interface Patience {
  readonly idleMs: number
  readonly wallMs: number
}
const usual: Patience = { idleMs: 10_000, wallMs: 300_000 }

/**
 * A top-level `await` may wait for ever. Only the time in which this thread had nothing to do counts against it: on a busy
 * machine work takes long, and is no waiting.
 */
export async function inTime<T>(file: string, loading: Promise<T>, { idleMs, wallMs } = usual): Promise<T> {
  let timer: NodeJS.Timeout | undefined
  const { idle } = performance.eventLoopUtilization()
  const startedMs = performance.now()
  const late = new Promise<never>((_, reject) => {
    const look = (): void => {
      const waitedMs = performance.now() - startedMs
      if (performance.eventLoopUtilization().idle - idle < idleMs && waitedMs < wallMs) return
      const seconds = Math.round(waitedMs / 1_000)
      reject(new LoadError(file, `it is not loaded after ${seconds} s; what does it \`await\`?`))
    }
    timer = setInterval(look, Math.min(250, idleMs / 4))
  })
  return Promise.race([loading, late]).finally(() => clearInterval(timer))
}
