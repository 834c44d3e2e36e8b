// Runs the command line from compiled code. Where none can be kept, tsx compiles the sources at
// every start.
import module from 'node:module'
import path from 'node:path'
import { fileURLToPath, pathToFileURL } from 'node:url'
import v8 from 'node:v8'
import { compiledFolder } from './compiled.mjs'
import { v8Flags } from './v8-flags.mjs'

// Before there is a worker: they are for all threads.
for (const flag of v8Flags(process.versions.node, process.execArgv)) v8.setFlagsFromString(flag)
const args = process.argv.slice(2)
const folder = await compiledFolder(fileURLToPath(new URL('..', import.meta.url)))
const { main } = await (folder === null ? fromSources() : fromCompiled())
await main(args)

function fromCompiled() {
  // From Node 22 on: V8's own compiled code is kept as well.
  module.enableCompileCache?.(path.join(folder, 'v8'))
  // A replay tells stack traces. A campaign tells none, and Node makes many: with maps they would
  // cost time.
  if (args.includes('replay')) process.setSourceMapsEnabled(true)
  return import(pathToFileURL(path.join(folder, 'src.cli.main.js')).href)
}

async function fromSources() {
  const { register } = await import('tsx/esm/api')
  register()
  return import('../src/cli/main.ts')
}
