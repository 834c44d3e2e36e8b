/**
 * What a page does in a browser. Compiled code has it beside it, compiled as well
 * (bin/compile.mjs); where the sources run, it is compiled when the first page that needs it is
 * made.
 */
import fs from 'node:fs'
import { createRequire } from 'node:module'
import { fileURLToPath } from 'node:url'
import type { BuildOptions } from 'esbuild'

/** `main` draws pictures; `unpack` puts packed parts in place. */
const entries = {
  main: new URL('browser/main.ts', import.meta.url),
  unpack: new URL('browser/unpack.ts', import.meta.url),
}

type Entry = keyof typeof entries

/** The URL of the file that it stands in; only compiled code has it (bin/compile.mjs). */
declare const onceproof_chunk: string | undefined

const scripts = new Map<Entry, string>()

export function browserScript(entry: Entry): string {
  let script = scripts.get(entry)
  if (script === undefined)
    scripts.set(entry, (script = typeof onceproof_chunk === 'undefined' ? compile(entry) : kept(entry)))
  return script
}

/** By the name of the file beside the compiled code: how it is made. */
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
    // The table of the project's own paths is not for the browser.
    tsconfigRaw: {},
  } as const satisfies BuildOptions
}

function kept(entry: Entry): string {
  return fs.readFileSync(new URL(fileOf(entry), onceproof_chunk), 'utf8')
}

function compile(entry: Entry): string {
  // Loaded only here: most pages show no picture, and a campaign whose layers are compiled already
  // needs it for nothing else.
  const { buildSync } = createRequire(import.meta.url)('esbuild') as typeof import('esbuild')
  // esbuild writes `<\/script` where a text has it, so that none can end the element that this
  // stands in.
  return buildSync(buildOf(entries[entry])).outputFiles[0]!.text
}
