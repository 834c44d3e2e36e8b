import { bundle } from './bundle.ts'

/**
 * A file and all that it imports as one CommonJS program for a Node of its own. It exports what the file does; where
 * something waits at its top level, a promise of that by the name `loading`. Modules with computed names are loaded from
 * where they are.
 * @throws as `bundle`
 */
export async function bundleProgram(file: string): Promise<string> {
  const { code, isAsync } = await bundle({ file, patched: new Map(), asked: [], sharing: false, withAddons: true })
  const body = isAsync ? asyncBody(code) : code
  // Behind the code, so that its directives and lines stay where they are.
  return `${body}\n${ownLoading}`
}

const asyncBody = (code: string) =>
  `const onceproof_module = { exports: {}, require }; module.exports.loading = (async () => {${code}
})().then(() => onceproof_module.exports.onceproofAdapter)`

const ownLoading = `
function onceproof_from(file) {
  const own = require('node:module').createRequire(file)
  const urlOf = (name) => require('node:url').pathToFileURL(own.resolve(name)).href
  const isUrl = (name) => /^(node|file|data):/.test(name)
  return Object.assign(own, { import: async (name) => import(isUrl(name) ? name : urlOf(name)) })
}
`
