import fs from 'node:fs'
import path from 'node:path'
import { fileURLToPath, pathToFileURL } from 'node:url'
import { build, type Loader, type Plugin } from 'esbuild'
import type { PatchedSources } from './patched-sources.ts'

/**
 * One script out of an adapter and all that it imports, except for what Node brings: a CommonJS module that can be
 * evaluated as often as there are processes.
 * @throws Error with one line that says what cannot be compiled, and where
 */
export async function bundle(file: string, patched: PatchedSources, leaks: string[]): Promise<string> {
  try {
    const result = await build({
      entryPoints: [file],
      bundle: true,
      platform: 'node',
      format: 'cjs',
      target: 'node20',
      write: false,
      // Nothing is written there; the source map's paths are relative to it, so that breakpoints are found.
      outfile: `${file}.bundle.js`,
      sourcemap: 'inline',
      logLevel: 'silent',
      alias: { onceproof: contractPath },
      define: ownNames,
      plugins: [ownSources(patched), nativeAddons(leaks)],
    })
    return result.outputFiles[0]!.text
  } catch (error) {
    const [problem] =
      (error as { errors?: { text: string; location?: { file: string; line: number } | null }[] }).errors ?? []
    const where = problem?.location ? ` (${problem.location.file}:${problem.location.line})` : ''
    const what = problem?.text ?? (error instanceof Error ? error.message : String(error))
    throw new Error(`${what.split('\n', 1)[0]}${where}`)
  }
}

/** What an adapter gets for `import … from 'onceproof'`: the contract, without the harness around it. */
const contractPath = fileURLToPath(new URL('../../contract/index.ts', import.meta.url))

/** A bundle has one URL; every file in it keeps its own, in variables that stand before its first statement. */
const ownNames = {
  'import.meta.url': 'onceproof_url',
  'import.meta.dirname': 'onceproof_dirname',
  'import.meta.filename': 'onceproof_filename',
  __dirname: 'onceproof_dirname',
  __filename: 'onceproof_filename',
}

const directive = /^(?:\s|\/\/.*\n|\/\*[\s\S]*?\*\/)*(?:"use strict"|'use strict')/

function ownSources(patched: PatchedSources): Plugin {
  return {
    name: 'own-sources',
    setup(build) {
      build.onLoad({ filter: /\.[cm]?[jt]sx?$/ }, async ({ path: file }) => {
        const changed = patched.get(file)
        const source = changed ?? (await fs.promises.readFile(file, 'utf8'))
        if (/import\.meta|__dirname|__filename/.test(source))
          return { contents: withOwnNames(file, source), loader: loaderOf(file) }
        return changed === undefined ? null : { contents: changed, loader: loaderOf(file) }
      })
    },
  }
}

function withOwnNames(file: string, source: string): string {
  const own = {
    onceproof_url: pathToFileURL(file).href,
    onceproof_dirname: path.dirname(file),
    onceproof_filename: file,
  }
  const variables = Object.entries(own).map(([name, value]) => `${name}=${JSON.stringify(value)}`)
  // On the first line, so that all lines keep their numbers.
  const strict = directive.test(source) ? '"use strict";' : ''
  return `${strict}var ${variables.join()};${source.replace(/^#!/, '//')}`
}

function loaderOf(file: string): Loader {
  const [, language, jsx] = /\.[cm]?([jt])s(x?)$/.exec(file)!
  return `${language === 't' ? 'ts' : 'js'}${jsx ?? ''}` as Loader
}

/** Native code cannot be loaded twice into one Node: it is shared between processes, and said so. */
function nativeAddons(leaks: string[]): Plugin {
  return {
    name: 'native-addons',
    setup(build) {
      build.onResolve({ filter: /\.node$/ }, ({ path: addon, resolveDir }) => {
        leaks.push(`the native addon ${path.basename(addon)} is shared by all simulated processes`)
        return { path: path.resolve(resolveDir, addon), external: true }
      })
    },
  }
}
