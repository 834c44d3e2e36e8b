/**
 * Imports a file of the user as an ES module, regardless of `type` in its package.json, which is
 * usually missing.
 */
import { pathToFileURL } from 'node:url'
import { compileModule } from 'virtual-node/runtime'
import { LoadError } from '../sim/adapters/load-implementation.ts'
import { subpaths } from '../sim/adapters/subpaths.ts'
import { packageFolder } from './catalogue.ts'
import { moduleOf } from './compiled.ts'

/**
 * The default export of a file. @throws LoadError if it cannot be compiled, and any error that the
 * file throws
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

/**
 * How long to wait for a file: the idle time of this thread, and the total time, in milliseconds.
 */
export interface Timeouts {
  readonly idleMs: number
  readonly allMs: number
}
const usual: Timeouts = { idleMs: 10_000, allMs: 300_000 }
const lookEveryMs = 250

/**
 * Rejects if the file takes too long, because a top-level `await` may wait forever. The total time
 * is measured in calls of the timer, not by the clock: on a busy machine the timer fires less
 * often, and the file gets more time. The idle time excludes time in which this thread was busy.
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
      // The message contains the timeout and not the elapsed time, so that it is the same on every
      // machine.
      const seconds = Math.round((idle >= idleMs ? idleMs : allMs) / 1_000)
      reject(new LoadError(file, `not loaded after ${seconds} s; look for a top-level \`await\` that never ends`))
    }
    timer = setInterval(look, everyMs)
  })
  return Promise.race([loading, late]).finally(() => clearInterval(timer))
}
