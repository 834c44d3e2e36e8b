/** Parts that a bundle leaves out, and requires from the process that evaluates it. */
import { builtinModules } from 'node:module'
import path from 'node:path'
import type { OnResolveResult, Plugin, PluginBuild } from 'esbuild'
import { missingPath } from './missing-module.ts'

/** Marks look-ups that the plugins themselves make. Only esbuild answers them. */
export const ownLookup = {}

/** The plugin result for a path that the script must `require` at run time. */
export type LeaveOut = (path: string) => OnResolveResult

const namespace = 'onceproof-outside'

/**
 * The body of an async function cannot contain the `import` statements that esbuild would leave in
 * it.
 */
export function leavingOut(isAsync: boolean): LeaveOut {
  return (left) => (isAsync ? { path: left, namespace } : { path: left, external: true })
}

/**
 * In an async script, each omitted module, including Node's own, becomes a module that requires it.
 */
export function requiredInAsync(leaveOut: LeaveOut): Plugin {
  return {
    name: 'required-in-async',
    setup(build) {
      build.onResolve({ filter: /^(node:.+|[a-z_0-9/]+)$/ }, ({ path: name }) =>
        name.startsWith('node:') || builtinModules.includes(name) ? leaveOut(name) : null,
      )
      build.onLoad({ filter: /.*/, namespace }, ({ path: left }) => ({
        contents: `module.exports = onceproof_module.require(${JSON.stringify(left)})`,
        loader: 'js',
      }))
    },
  }
}

/**
 * If one of these names is not found, `require` and `import()` of it fail when they are reached, as
 * in Node.
 */
export function looseNames(names: Iterable<string>, leaveOut: LeaveOut): Plugin {
  const known = new Set(names)
  return {
    name: 'loose-names',
    setup(build) {
      if (known.size === 0) return
      build.onResolve({ filter: /.*/ }, async ({ path: name, pluginData, ...where }) => {
        if (!known.has(name) || pluginData === ownLookup) return null
        const { path: file, errors } = await build.resolve(name, { ...where, pluginData: ownLookup })
        if (where.kind === 'require-resolve') return { path: errors.length > 0 ? name : file, external: true }
        if (errors.length === 0 || (where.kind !== 'require-call' && where.kind !== 'dynamic-import')) return null
        const kind = where.kind === 'require-call' ? 'require' : 'import'
        return leaveOut(missingPath({ kind, from: where.importer, name }))
      })
    },
  }
}

/**
 * Packages that locate native addons: they read the machine's files, and load what they find by
 * computed names.
 */
const addonFinders = /^(bindings|node-gyp-build|node-gyp-build-optional-packages|node-pre-gyp|@mapbox\/node-pre-gyp)$/

/**
 * Native code cannot be loaded twice into one Node: code that loads or locates it gets an error
 * with that reason.
 */
export function nativeAddons(leaveOut: LeaveOut): Plugin {
  return {
    name: 'native-addons',
    setup(build) {
      build.onResolve({ filter: /\.node$/ }, ({ path: addon, importer }) => {
        const owner = ownerOf(importer)
        const folder = owner === null ? '' : `node_modules/${owner}/`
        return leaveOut(`${folder}${path.basename(addon)}`)
      })
      build.onResolve({ filter: addonFinders }, ({ importer }) => leaveOut(`${packageOf(importer)}.node`))
      addonsAsEntries(build)
    },
  }
}

/**
 * A package may consist of an addon only. Then the package's name resolves to the addon, although
 * the name does not end in `.node`.
 */
function addonsAsEntries(build: PluginBuild): void {
  build.onLoad({ filter: /\.node$/ }, ({ path: addon }) => ({
    contents: `module.exports = require(${JSON.stringify(addon)})`,
    loader: 'js',
  }))
}

/** In a separate Node, addons are loaded from their own place. */
export const addonsInPlace: Plugin = {
  name: 'addons-in-place',
  setup(build) {
    build.onResolve({ filter: /\.node$/ }, ({ path: addon, resolveDir }) => ({
      path: path.resolve(resolveDir, addon),
      external: true,
    }))
    addonsAsEntries(build)
  },
}

/** The package that contains a file; null if it is in no package. */
export function ownerOf(file: string): string | null {
  const [, name] = /.*node_modules[/\\]((?:@[^/\\]+[/\\])?[^/\\]+)/.exec(file) ?? []
  return name ?? null
}

/** The package that contains a file, or the file's name. */
export const packageOf = (file: string): string => ownerOf(file) ?? path.basename(file)
