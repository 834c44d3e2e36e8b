/**
 * Node loads the sources of tests, compiled to JavaScript with the same lines. Vite's module
 * runner asks Vitest's main process for each module and makes imports slower to use: 25 CPU seconds
 * of 85 in the fast tier, and 10 s instead of 2 s before a file that uses the command line
 * (2026-11-29). Compiled files are kept by the digest of their source.
 */
import { createHash, randomBytes } from 'node:crypto'
import fs from 'node:fs'
import module, { createRequire } from 'node:module'
import path from 'node:path'
import { fileURLToPath } from 'node:url'
import { isMainThread } from 'node:worker_threads'

const kept = path.join(import.meta.dirname, '../node_modules/.cache/onceproof-tests')
const require = createRequire(import.meta.url)
const { version } = require('sucrase/package.json')

/** The sources of the package's subpaths, which examples import by name. */
const { paths } = JSON.parse(
  fs.readFileSync(path.join(import.meta.dirname, '../tsconfig.json'), 'utf8'),
).compilerOptions
const sourceOf = new Map(
  Object.entries(paths).map(([name, [source]]) => [name, new URL(`../${source}`, import.meta.url).href]),
)

/** Node's hooks. */
export function resolve(specifier, context, next) {
  return next(sourceOf.get(specifier) ?? specifier, context)
}

export function load(url, context, next) {
  const file = /^file:[^?#]*\.m?ts(?=$|[?#])/.exec(url)?.[0]
  if (file === undefined) return next(url, context)
  return { format: 'module', source: javaScriptOf(fs.readFileSync(fileURLToPath(file), 'utf8')), shortCircuit: true }
}

function javaScriptOf(source) {
  const digest = createHash('sha256').update(`${version}\0${source}`).digest('hex')
  const place = path.join(kept, `${digest}.js`)
  if (fs.existsSync(place)) return fs.readFileSync(place, 'utf8')
  const { code } = require('sucrase').transform(source, { transforms: ['typescript'], disableESTransforms: true })
  // Several processes may write the same file.
  const draft = `${place}.${randomBytes(8).toString('hex')}`
  fs.mkdirSync(kept, { recursive: true })
  fs.writeFileSync(draft, code)
  fs.renameSync(draft, place)
  return code
}

// On Node 20 the hook runs in a thread, which loads this file again.
if (isMainThread) {
  if (module.registerHooks) module.registerHooks({ resolve, load })
  else module.register(import.meta.url)
  // Lines are right without source maps, and Node would read the map of each simulated script.
  process.setSourceMapsEnabled(false)
}
