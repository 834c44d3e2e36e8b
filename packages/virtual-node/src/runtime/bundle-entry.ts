/**
 * The entry point of a script that contains more than an adapter: modules that are evaluated on
 * request.
 */
import path from 'node:path'
import type { Plugin } from 'esbuild'
import { type AskedModule, askKey } from './asked-module.ts'
import type { LeaveOut } from './bundle-outside.ts'
import { missingPath } from './missing-module.ts'

/** The `module.exports` of a script with this entry point. */
export interface EntryExports {
  readonly onceproofAdapter: { readonly default?: unknown }
  /** By `askKey`: functions that return the modules, or promises of them. */
  readonly onceproofAsked: Readonly<Record<string, () => unknown>>
}

/** The name of the entry point. */
export const entryName = 'onceproof-entry'

export function entry(file: string, asked: readonly AskedModule[], isAsync: boolean, leaveOut: LeaveOut): Plugin {
  const loaders = asked.map((one, at) => `${JSON.stringify(askKey(one))}: () => ${one.kind}("onceproof-asked:${at}")`)
  const own = isAsync ? 'onceproof_module.exports' : 'exports'
  const adapter = `${isAsync ? 'await import' : 'require'}(${JSON.stringify(file)})`
  const contents = `${own}.onceproofAsked = { ${loaders.join(', ')} };\n${own}.onceproofAdapter = ${adapter};\n`
  return {
    name: 'entry',
    setup(build) {
      build.onResolve({ filter: new RegExp(`^${entryName}$`) }, () => ({ path: entryName, namespace: entryName }))
      build.onLoad({ filter: /.*/, namespace: entryName }, () => ({
        contents,
        loader: 'js',
        resolveDir: path.dirname(file),
      }))
      build.onResolve({ filter: /^onceproof-asked:/ }, async ({ path: numbered, kind }) => {
        const one = asked[Number(numbered.split(':')[1])]!
        const found = await build.resolve(one.name, { kind, importer: one.from, resolveDir: path.dirname(one.from) })
        if (found.errors.length > 0) return leaveOut(missingPath(one))
        // Keeps the decisions of other plugins.
        const { path: resolved, namespace, external, sideEffects, suffix } = found
        return { path: resolved, namespace, external, sideEffects, suffix }
      })
    },
  }
}
