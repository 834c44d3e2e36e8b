/** Gives every file of a bundle its own URL; esbuild gives all of them the same URL. */
import fs from 'node:fs'
import path from 'node:path'
import { pathToFileURL } from 'node:url'
import type { Loader, Plugin } from 'esbuild'
import {
  type ComputedNames,
  type ComputedPlace,
  hiddenLoading,
  isEsModule,
  resolvesComputed,
  withOwnLoading,
} from './computed-names.ts'
import { withDictionaries } from './large-prototypes.ts'
import { withProcessMemos } from './process-memos.ts'
import { sendingVariable, withSendingNotes } from './sending-notes.ts'

/** For esbuild's `define`: variables that are declared before each file's first statement. */
export const ownNames = {
  'import.meta.url': 'onceproof_url',
  'import.meta.dirname': 'onceproof_dirname',
  'import.meta.filename': 'onceproof_filename',
  __dirname: 'onceproof_dirname',
  __filename: 'onceproof_filename',
}

/** The module that makes the objects `import.meta`, and the variable that holds one. */
export const metaModule = 'onceproof-meta'
export const metaVariable = 'onceproof_meta'

/** Matches the object itself, or a member for which `ownNames` has no variable. */
const wholeMeta = /import\.meta\b(?!\s*\.\s*(?:url|dirname|filename)\b)/

/** Files that make `import.meta` objects, and that mention `import.meta` in their comments. */
const makesMeta = /[/\\](?:own-meta\.ts$|node_modules[/\\]import-meta-resolve[/\\])/

const directive = /^(?:\s|\/\/.*\n|\/\*[\s\S]*?\*\/)*(?:"use strict"|'use strict')/

/**
 * Loads files with their own names, and replaces the files in `patched`. Files with computed names
 * get their own loader, from a function that must be passed to the bundled script:
 * `onceproof_from(file)`. `memos`: the script is evaluated for several processes one after another
 * (`process-memos.ts`). `simulated`: clients in the script report their commands
 * (`sending-notes.ts`), and the script is evaluated often (`large-prototypes.ts`).
 */
export function ownSources(
  patched: ReadonlyMap<string, string>,
  computed: ComputedNames | null = null,
  { memos = false, simulated = false }: { readonly memos?: boolean; readonly simulated?: boolean } = {},
): Plugin {
  return {
    name: 'own-sources',
    setup(build) {
      build.onLoad({ filter: /\.[cm]?[jt]sx?$/ }, async ({ path: file }) => {
        const changed = patched.get(file)
        const source = changed ?? (await fs.promises.readFile(file, 'utf8'))
        const noted = simulated ? withNotes(file, withDictionaries(file, source)) : source
        const memorised = memos ? withProcessMemos(noted) : noted
        const named = /import\.meta|__dirname|__filename/.test(source) ? withOwnNames(file, memorised) : memorised
        const contents = computed === null ? named : withOwnLoader(file, withMeta(file, named), computed.get(file))
        return contents === source && changed === undefined ? null : { contents, loader: loaderOf(file) }
      })
    },
  }
}

function withNotes(file: string, source: string): string {
  const noted = withSendingNotes(file, source)
  return noted === null ? source : declaring(noted, sendingVariable)
}

function withOwnNames(file: string, source: string): string {
  return declaring(source, {
    onceproof_url: JSON.stringify(pathToFileURL(file).href),
    onceproof_dirname: JSON.stringify(path.dirname(file)),
    onceproof_filename: JSON.stringify(file),
  })
}

function withMeta(file: string, source: string): string {
  if (!wholeMeta.test(source) || !isEsModule(source) || makesMeta.test(file)) return source
  const names = [pathToFileURL(file).href, path.dirname(file), file].map((name) => JSON.stringify(name))
  const own = { [metaVariable]: `onceproof_metaOf(${names.join()})` }
  return declaring(source, own, [], `import{metaOf as onceproof_metaOf}from"${metaModule}";`)
}

function withOwnLoader(file: string, source: string, places: readonly ComputedPlace[] | undefined): string {
  const hidden = hiddenLoading(source, places !== undefined)
  if (!places?.length && hidden.length === 0 && !resolvesComputed(source)) return source
  const own = { onceproof_require: `onceproof_from(${JSON.stringify(file)})` }
  return declaring(withOwnLoading(source, places ?? []), own, hidden)
}

/**
 * `same`: places that also get the value of the last variable. `before`: a statement before the
 * variables.
 */
function declaring(
  source: string,
  own: Readonly<Record<string, string>>,
  same: readonly string[] = [],
  before = '',
): string {
  const variables = Object.entries(own).map(([name, value]) => `${name}=${value}`)
  const last = Object.keys(own).at(-1)
  const more = same.map((place) => `${place}=${last};`).join('')
  // The variables are on the first line, so that all lines keep their numbers.
  const strict = directive.test(source) ? '"use strict";' : ''
  return `${strict}${before}var ${variables.join()};${more}${source.replace(/^#!/, '//')}`
}

function loaderOf(file: string): Loader {
  const [, language, jsx] = /\.[cm]?([jt])s(x?)$/.exec(file)!
  return `${language === 't' ? 'ts' : 'js'}${jsx ?? ''}` as Loader
}

/** Says in one line what esbuild could not compile, and where. */
export function compileProblem(error: unknown): string {
  const [problem] =
    (error as { errors?: { text: string; location?: { file: string; line: number } | null }[] }).errors ?? []
  const where = problem?.location ? ` (${problem.location.file}:${problem.location.line})` : ''
  const what = problem?.text ?? (error instanceof Error ? error.message : String(error))
  const missing = /^Could not resolve "(?!\.|\/|file:)/.test(what) ? '; install it next to that file' : ''
  return `${what.split('\n', 1)[0]}${where}${missing}`
}
