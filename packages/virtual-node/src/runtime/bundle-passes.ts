/** Bundles an adapter again until everything learned from earlier tries is taken into account. */
import { isBuiltin } from 'node:module'
import path from 'node:path'
import type { BuildOptions, BuildResult, Message } from 'esbuild'
import { type ComputedPlace, computedNames } from './computed-names.ts'

/** The facts that bundling must take into account in addition to the sources. */
export interface BundleShape {
  /** True if a module has a top-level await: the script is then the body of an async function. */
  isAsync: boolean
  /**
   * Names that were not found, and names of which only the location is requested. Each has the
   * first line that contains it.
   */
  readonly looseNames: Map<string, string>
  readonly computed: Map<string, readonly ComputedPlace[]>
}

type Built = BuildResult<BuildOptions & { metafile: true; write: false }>

/** @throws what esbuild throws, if nothing can be learned from it */
export async function bundleInPasses(build: (shape: BundleShape) => Promise<Built>): Promise<[Built, BundleShape]> {
  const shape: BundleShape = { isAsync: false, looseNames: new Map(), computed: new Map() }
  for (;;) {
    let learned: boolean
    let built: Built | null = null
    try {
      built = await build(shape)
      learned = learnFromResult(built, shape)
    } catch (error) {
      const errors = (error as { errors?: Message[] }).errors ?? []
      learned = learnFromErrors(errors, shape)
      if (!learned) throw error
    }
    if (!learned) return [built!, shape]
  }
}

function learnFromErrors(errors: readonly Message[], shape: BundleShape): boolean {
  let learned = false
  for (const { text, location } of errors) {
    const [, name] = /^Could not resolve "(.*)"$/.exec(text) ?? []
    if (name !== undefined) {
      const line = location === null ? '' : `${path.resolve(location.file)}:${location.line}`
      learned = learnName(name, line, shape) || learned
    } else if (text.startsWith('Top-level await is currently not supported') && !shape.isAsync) {
      shape.isAsync = true
      learned = true
    }
  }
  return learned
}

function learnFromResult({ metafile, warnings }: Built, shape: BundleShape): boolean {
  let learned = false
  for (const [input, { imports }] of Object.entries(metafile.inputs))
    for (const { path: name, kind, external } of imports) {
      const isLoose = external && !isBuiltin(name) && !path.isAbsolute(name) && !name.startsWith('onceproof-')
      if (isLoose || (kind === 'require-resolve' && !path.isAbsolute(name)))
        learned = learnName(name, path.resolve(input), shape) || learned
    }
  for (const [file, places] of computedNames(warnings, process.cwd()))
    if (!shape.computed.has(file)) {
      shape.computed.set(file, places)
      learned = true
    }
  return learned
}

function learnName(name: string, line: string, { looseNames }: BundleShape): boolean {
  if (looseNames.has(name)) return false
  looseNames.set(name, line)
  return true
}
