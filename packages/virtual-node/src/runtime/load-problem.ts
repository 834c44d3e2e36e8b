import { packageOf } from './bundle-outside.ts'
import { LoadError } from './load-error.ts'
import type { Apart } from './load-process.ts'
import { missingBehind } from './missing-module.ts'

/**
 * Names of packages that hold the build of a native addon for the platform of all simulated
 * processes. The machine may have another platform, and then such a package is missing. Source: the
 * names that NAPI-RS generates.
 */
const builtForPlatform = /-linux-x64(-|$)/

/**
 * Why a compiled adapter cannot be loaded; null if it can. `missing`: the lines that require
 * packages.
 */
export function loadProblem(
  file: string,
  { failure, unsupported, connects, settled }: Apart & { readonly settled: boolean },
  missing: Readonly<Record<string, string>>,
): LoadError | null {
  if (failure === null) return settled ? null : neverLoaded(file, connects)
  const absent = missingBehind(failure.error)
  if (absent !== null) {
    if (builtForPlatform.test(absent.name))
      return notSimulated(file, `the native addon of ${packageOf(absent.from)}`, 'use an alternative')
    const where = missing[absent.name] || absent.from
    return new LoadError(file, `it needs "${absent.name}" (${where}), which is missing; install it next to that file`)
  }
  if (unsupported.length > 0) return notSimulated(file, unsupported.join('; '), 'use an alternative')
  const { error } = failure
  const text = error instanceof Error ? error.message : String(error)
  return new LoadError(file, `throws when loaded (${text.split('\n', 1)[0]}); make it load in plain Node first`)
}

function neverLoaded(file: string, connects: boolean): LoadError {
  if (connects) return notSimulated(file, 'an answer from the network at its top level', 'connect in `create`')
  return new LoadError(file, 'its top-level `await` never settles; make it load in plain Node first')
}

function notSimulated(file: string, what: string, remedy: string): LoadError {
  return new LoadError(file, `loading it needs an unsupported feature (${what}); ${remedy}`, 'not-simulated')
}
