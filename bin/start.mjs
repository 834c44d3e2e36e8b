// Runs the command line from compiled code. If that cannot be stored, tsx compiles the sources at
// every start.
import module from 'node:module'
import path from 'node:path'
import { fileURLToPath, pathToFileURL } from 'node:url'
import v8 from 'node:v8'
import { compiledFolder } from './compiled.mjs'
import { v8Flags } from './v8-flags.mjs'

// Before a worker exists, because flags apply to all threads.
for (const flag of v8Flags(process.versions.node, process.execArgv)) v8.setFlagsFromString(flag)
const args = process.argv.slice(2)
const folder = await compiledFolder(fileURLToPath(new URL('..', import.meta.url)))
const { main } = await (folder === null ? fromSources() : fromCompiled())
await main(args)

function fromCompiled() {
  // From Node 22 on, V8's compiled code is cached as well.
  module.enableCompileCache?.(path.join(folder, 'v8'))
  // A replay prints stack traces. A campaign prints none, and source maps would slow down the many
  // that Node makes.
  if (args.includes('replay')) process.setSourceMapsEnabled(true)
  return import(pathToFileURL(path.join(folder, 'src.cli.main.js')).href)
}

async function fromSources() {
  const { register } = await import('tsx/esm/api')
  register()
  return import('../src/cli/main.ts')
}
