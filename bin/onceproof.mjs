#!/usr/bin/env node
// Runs the command line from compiled code. Where none can be kept, tsx compiles the sources at every start.
import path from 'node:path'
import { fileURLToPath, pathToFileURL } from 'node:url'
import { compiledFolder } from './compiled.mjs'

const folder = await compiledFolder(fileURLToPath(new URL('..', import.meta.url)))
const { main } = await (folder === null
  ? fromSources()
  : import(pathToFileURL(path.join(folder, 'src.cli.main.js')).href))
await main(process.argv.slice(2))

async function fromSources() {
  const { register } = await import('tsx/esm/api')
  register()
  return import('../src/cli/main.ts')
}
