/** TypeScript as JavaScript, kept from run to run: what each file was compiled to, below the digest of what it was. */
import { createHash, randomBytes } from 'node:crypto'
import fs from 'node:fs'
import { createRequire } from 'node:module'
import path from 'node:path'
import { fileURLToPath } from 'node:url'

const project = path.join(import.meta.dirname, '../..')
const kept = path.join(project, 'node_modules/.cache/onceproof-tests')
const require = createRequire(import.meta.url)
const compiler = fs.readFileSync(require.resolve('sucrase/package.json'), 'utf8')

/** As Node's loader asks for it, in a thread of its own or in the one that imports. */
export function load(url, context, next) {
  const file = /^file:[^?#]*\.m?ts(?=$|[?#])/.exec(url)?.[0]
  if (file === undefined) return next(url, context)
  return { format: 'module', source: javaScriptOf(fileURLToPath(file)), shortCircuit: true }
}

function javaScriptOf(file) {
  const source = fs.readFileSync(file, 'utf8')
  const own = path.relative(project, file)
  if (own.startsWith('..') || path.isAbsolute(own)) return compile(source, file)
  const digest = createHash('sha256').update(compiler).update('\0').update(source).digest('hex')
  const place = path.join(kept, `${own}.js`)
  const [known, code] = read(place)
  return known === digest ? code : keep(place, digest, compile(source, file))
}

/** Lines stay where they are, so that stacks tell those of the source without a map. */
function compile(source, filePath) {
  const { transform } = require('sucrase')
  return transform(source, { transforms: ['typescript'], disableESTransforms: true, filePath }).code
}

function read(place) {
  try {
    const text = fs.readFileSync(place, 'utf8')
    const end = text.indexOf('\n')
    return [text.slice(0, end), text.slice(end + 1)]
  } catch {
    return []
  }
}

/** Whole or not at all, however many processes keep the same at the same time; not at all where nothing can be written. */
function keep(place, digest, code) {
  const draft = `${place}.${randomBytes(8).toString('hex')}`
  try {
    fs.mkdirSync(path.dirname(place), { recursive: true })
    fs.writeFileSync(draft, `${digest}\n${code}`)
    fs.renameSync(draft, place)
  } catch {
    // A draft that is half written, if there is one.
    fs.rm(draft, { force: true }, () => {})
  }
  return code
}
