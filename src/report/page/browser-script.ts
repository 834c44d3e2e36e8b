/** What a page does in a browser: compiled from its sources when the first page that needs it is made. */
import { createRequire } from 'node:module'
import { fileURLToPath } from 'node:url'

/** `main` draws pictures; `unpack` puts packed parts in place. */
const entries = {
  main: new URL('browser/main.ts', import.meta.url),
  unpack: new URL('browser/unpack.ts', import.meta.url),
}

type Entry = keyof typeof entries

const scripts = new Map<Entry, string>()

export function browserScript(entry: Entry): string {
  let script = scripts.get(entry)
  if (script === undefined) scripts.set(entry, (script = compile(entry)))
  return script
}

function compile(name: Entry): string {
  // Loaded only here: most pages show no picture, and a campaign whose layers are compiled already needs it for nothing else.
  const { buildSync } = createRequire(import.meta.url)('esbuild') as typeof import('esbuild')
  const entry = fileURLToPath(entries[name])
  const { outputFiles } = buildSync({
    entryPoints: [entry],
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
  })
  // esbuild writes `<\/script` where a text has it, so that none can end the element that this stands in.
  return outputFiles[0]!.text
}
