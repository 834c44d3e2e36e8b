/**
 * The errors that Node throws when a package that is not installed is required, so that programs
 * can catch the errors of optional packages.
 */
import path from 'node:path'
import type { AskedModule } from './asked-module.ts'

/** Prefix of an argument of a bundle's `require` that describes a missing module, as JSON. */
export const missingPrefix = 'onceproof-missing:'

export function missingPath({ kind, from, name }: AskedModule): string {
  return missingPrefix + JSON.stringify({ kind, from, name })
}

export function missingOf(required: string): AskedModule {
  return JSON.parse(required.slice(missingPrefix.length))
}

const thrown = new WeakMap<object, AskedModule>()

/**
 * The error of Node 20. `require`: `Module._resolveFilename` in lib/internal/modules/cjs/loader.js;
 * `import`: `ERR_MODULE_NOT_FOUND` in lib/internal/errors.js.
 */
export function moduleNotFound(missing: AskedModule): Error {
  const { kind, from, name } = missing
  const relative = name.startsWith('.')
  const error =
    kind === 'require'
      ? Object.assign(new Error(`Cannot find module '${name}'\nRequire stack:\n- ${from}`), {
          code: 'MODULE_NOT_FOUND',
          requireStack: [from],
        })
      : Object.assign(
          new Error(
            `Cannot find ${relative ? 'module' : 'package'} '${relative ? path.resolve(path.dirname(from), name) : name}' imported from ${from}`,
          ),
          { code: 'ERR_MODULE_NOT_FOUND' },
        )
  thrown.set(error, missing)
  return error
}

/** The missing module, if that is the error's reason. */
export function missingBehind(error: unknown): AskedModule | null {
  return (typeof error === 'object' && error !== null && thrown.get(error)) || null
}
