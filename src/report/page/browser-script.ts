/** What draws pictures in the browser: compiled from its sources when the first page with a picture is made. */
import { createRequire } from 'node:module'
import { fileURLToPath } from 'node:url'

let script: string | null = null

export function browserScript(): string {
  script ??= compile()
  return script
}

function compile(): string {
  // Loaded only here: most pages show no picture, and a campaign whose layers are compiled already needs it for nothing else.
  const { buildSync } = createRequire(import.meta.url)('esbuild') as typeof import('esbuild')
  const entry = fileURLToPath(new URL('browser/main.ts', import.meta.url))
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
