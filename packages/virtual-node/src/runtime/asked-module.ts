/**
 * A module that code names only while it runs, by a name that is computed or through
 * `createRequire`.
 */
export interface AskedModule {
  /** `import` resolves by the conditions of ES modules and gives a promise. */
  readonly kind: 'require' | 'import'
  /** Absolute path of the file that asks: names are resolved from there. */
  readonly from: string
  /** As it was given: a package, a path, a file URL. */
  readonly name: string
}

/** Equal for modules that are asked for alike. */
export function askKey({ kind, from, name }: AskedModule): string {
  return JSON.stringify([kind, from, name])
}
