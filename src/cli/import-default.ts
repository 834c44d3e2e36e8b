/**
 * A file of the user's own, imported as an ES module whatever the package.json beside it says: how
 * `.ts` and `.js` are read otherwise hangs on its `type`, and most folders have none.
 */
import { pathToFileURL } from 'node:url'
import { compileModule } from 'virtual-node/runtime'
import { LoadError } from '../sim/adapters/load-implementation.ts'
import { subpaths } from '../sim/adapters/subpaths.ts'
import { packageFolder } from './catalogue.ts'
import { moduleOf } from './compiled.ts'

/**
 * The default export of a file. @throws LoadError when it cannot be compiled, and whatever the file
 * throws
 */
export async function importDefault(file: string): Promise<unknown> {
  const module = await inTime(file, import(await urlOf(file)))
  return module.default
}

async function urlOf(file: string): Promise<string> {
  const ours = moduleOf(file)
  if (ours !== null) return pathToFileURL(ours).href
  const code = await compileModule(file, { folder: packageFolder, subpaths, moduleOf })
  return `data:text/javascript;base64,${Buffer.from(code).toString('base64')}`
}

/** How long a file may be waited for while there is nothing else to do, and in all. */
export interface Timeouts {
  readonly idleMs: number
  readonly allMs: number
}
const usual: Timeouts = { idleMs: 10_000, allMs: 300_000 }
const lookEveryMs = 250

/**
 * A top-level `await` may wait for ever. What counts against it is the time in which this thread
 * was there to look: on a busy machine it gets to look less often, so that the work it waits for
 * has as much more time. Of that, the time in which the thread had something to do is no waiting.
 */
export async function inTime<T>(file: string, loading: Promise<T>, { idleMs, allMs } = usual): Promise<T> {
  let timer: NodeJS.Timeout | undefined
  const everyMs = Math.min(lookEveryMs, idleMs / 4)
  const late = new Promise<never>((_, reject) => {
    let [idle, looks, { idle: before }] = [0, 0, performance.eventLoopUtilization()]
    const look = (): void => {
      const now = performance.eventLoopUtilization().idle
      idle += Math.min(now - before, everyMs)
      before = now
      if (idle < idleMs && ++looks * everyMs < allMs) return
      // Which timeout has passed, and not what a clock says by now: the same on every machine.
      const seconds = Math.round((idle >= idleMs ? idleMs : allMs) / 1_000)
      reject(new LoadError(file, `not loaded after ${seconds} s; look for a top-level \`await\` that never ends`))
    }
    timer = setInterval(look, everyMs)
  })
  return Promise.race([loading, late]).finally(() => clearInterval(timer))
}
