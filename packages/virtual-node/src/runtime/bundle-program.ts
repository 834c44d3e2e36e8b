import { bundle } from './bundle.ts'
import { missingPrefix } from './missing-module.ts'

/**
 * A file and all that it imports as one CommonJS program for a separate Node. The program has the
 * exports of the file. If the file has a top-level await, the program exports `loading`, a promise
 * of the file's exports. Modules with computed names are loaded from their own place.
 * @throws as `bundle`
 */
export async function bundleProgram(file: string): Promise<string> {
  const { code, sloppy, isAsync } = await bundle({
    file,
    patched: new Map(),
    asked: [],
    sharing: false,
    withAddons: true,
  })
  const body = `(${isAsync ? 'async ' : ''}function (require, onceproof_module, onceproof_sloppy) {"use strict";${code}
})(onceproof_required, { exports: module.exports, require: onceproof_required }, onceproof_sloppy)`
  const reported = isAsync ? `module.exports.loading = ${body}.then(() => module.exports.onceproofAdapter)` : body
  // These parts follow the code, so that the code keeps its line numbers.
  return `${reported}\n${ownLoading}\n${sloppy === null ? 'var onceproof_sloppy' : sloppyPart(sloppy)}`
}

/**
 * The sloppy part as a script with the program's own name, so that its line numbers are those of
 * the program.
 */
function sloppyPart(sloppy: string): string {
  const names = 'exports, require, module, __filename, __dirname, onceproof_from, onceproof_module, links'
  return `function onceproof_sloppy(links) {
  const part = require('node:vm').runInThisContext(${JSON.stringify(`(function (${names}) {${sloppy}\n})`)}, { filename: __filename })
  const own = { exports: module.exports, require: onceproof_required }
  return part(module.exports, onceproof_required, module, __filename, __dirname, onceproof_from, own, links)
}`
}

const ownLoading = `
function onceproof_required(name) {
  if (!name.startsWith('${missingPrefix}')) return require(name)
  const { kind, name: missing, from } = JSON.parse(name.slice(${missingPrefix.length}))
  const code = kind === 'import' ? 'ERR_MODULE_NOT_FOUND' : 'MODULE_NOT_FOUND'
  throw Object.assign(new Error("Cannot find '" + missing + "' imported from " + from), { code })
}
onceproof_required.resolve = require.resolve

function onceproof_from(file) {
  const own = require('node:module').createRequire(file)
  const placeOf = (name) => {
    if (/^(node|file|data):/.test(name)) return name
    const place = own.resolve(name)
    return require('node:path').isAbsolute(place) ? require('node:url').pathToFileURL(place).href : place
  }
  return Object.assign(own, { import: async (name) => import(placeOf(name)) })
}
`
