/** A program of the tests, compiled once for all its starts: tsx would compile all that it imports at each. */
import fs from 'node:fs'
import path from 'node:path'
import { fileURLToPath } from 'node:url'
import { buildSync } from 'esbuild'
import { temporaryFolder } from './cli/run-cli.ts'

/** The file that Node starts in place of `source`; packages are found where the project has them. */
export function compiledProgram(source: string): string {
  const folder = temporaryFolder()
  fs.symlinkSync(fileURLToPath(new URL('../node_modules', import.meta.url)), path.join(folder, 'node_modules'))
  const outfile = path.join(folder, 'program.mjs')
  buildSync({
    ...{ entryPoints: [source], outfile, bundle: true, platform: 'node', format: 'esm', target: 'node20' },
    ...{ packages: 'external', logLevel: 'error' },
  })
  return outfile
}
