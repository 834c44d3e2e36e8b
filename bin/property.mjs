// The thread that plays the runs of `onceProperty`, from compiled code or from the sources.
import path from 'node:path'
import { fileURLToPath, pathToFileURL } from 'node:url'
import { workerData } from 'node:worker_threads'
import { compiledFolder } from './compiled.mjs'

try {
  const folder = await compiledFolder(fileURLToPath(new URL('..', import.meta.url)))
  if (folder === null) {
    const { register } = await import('tsx/esm/api')
    register()
    await import('../src/cli/property-task.ts')
  } else await import(pathToFileURL(path.join(folder, 'src.cli.property-task.js')).href)
} catch (error) {
  // The waiting thread is blocked, so this message is its only sign of the error.
  const { port, answered } = workerData
  port.postMessage({ id: null, answer: { ok: false, culprit: 'onceProperty', remedy: `${error.stack}`, exitCode: 3 } })
  Atomics.add(answered, 0, 1)
  Atomics.notify(answered, 0)
  throw error
}
