/**
 * Provides the scripts of a page. In the compiled package they are compiled in advance and stored
 * next to the code (bin/compile.mjs). If Onceproof runs from source, each script is compiled when
 * the first page needs it.
 */
import fs from 'node:fs'
import { createRequire } from 'node:module'
import { fileURLToPath } from 'node:url'
import type { BuildOptions } from 'esbuild'

/** `main` draws pictures; `unpack` unpacks the compressed parts of a page. */
const entries = {
  main: new URL('browser/main.ts', import.meta.url),
  unpack: new URL('browser/unpack.ts', import.meta.url),
}

type Entry = keyof typeof entries

/**
 * The URL of the compiled file that contains this code; defined only in compiled code
 * (bin/compile.mjs).
 */
declare const onceproof_chunk: string | undefined

const scripts = new Map<Entry, string>()

export function browserScript(entry: Entry): string {
  let script = scripts.get(entry)
  if (script === undefined)
    scripts.set(entry, (script = typeof onceproof_chunk === 'undefined' ? compile(entry) : kept(entry)))
  return script
}

/** The build options of each script, by the name of its compiled file. */
export const browserBuilds: Readonly<Record<string, BuildOptions & { readonly write: false }>> = Object.fromEntries(
  Object.entries(entries).map(([name, entry]) => [fileOf(name), buildOf(entry)]),
)

function fileOf(entry: string): string {
  return `in-browser.${entry}.js`
}

function buildOf(entry: URL) {
  return {
    entryPoints: [fileURLToPath(entry)],
    bundle: true,
    write: false,
    minify: true,
    format: 'iife',
    platform: 'browser',
    target: 'es2022',
    charset: 'ascii',
    legalComments: 'none',
    logLevel: 'silent',
    // The project's path aliases are excluded, because they do not apply in the browser.
    tsconfigRaw: {},
  } as const satisfies BuildOptions
}

function kept(entry: Entry): string {
  return fs.readFileSync(new URL(fileOf(entry), onceproof_chunk), 'utf8')
}

function compile(entry: Entry): string {
  // esbuild is loaded only here: most pages have no picture, and a campaign with compiled layers
  // does not need it otherwise.
  const { buildSync } = createRequire(import.meta.url)('esbuild') as typeof import('esbuild')
  // esbuild escapes `<\/script` in strings, so that no text can end the script element.
  return buildSync(buildOf(entries[entry])).outputFiles[0]!.text
}
