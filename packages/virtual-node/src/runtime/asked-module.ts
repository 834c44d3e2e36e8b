/** A module that code names only at run time, by a computed name or through `createRequire`. */
export interface AskedModule {
  /** `import` resolves with the conditions of ES modules and returns a promise. */
  readonly kind: 'require' | 'import'
  /** Absolute path of the requesting file: names are resolved from this file. */
  readonly from: string
  /** As given: a package, a path, a file URL. */
  readonly name: string
}

/** A text that is equal for equal requests. */
export function askKey({ kind, from, name }: AskedModule): string {
  return JSON.stringify([kind, from, name])
}
