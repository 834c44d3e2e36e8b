// The declarations that the package exports, and those that they import.
import { execFileSync } from 'node:child_process'
import fs from 'node:fs'
import path from 'node:path'

const root = path.join(import.meta.dirname, '..')
const tsc = path.join(root, 'node_modules/typescript/bin/tsc')

/**
 * Compiles `entries`, files of `src`, and everything that they import into `folder`.
 * @throws if they do not type-check
 */
export function compileTypes(entries, folder, options) {
  const config = path.join(folder, 'tsconfig.json')
  fs.mkdirSync(folder, { recursive: true })
  const compilerOptions = {
    ...{ noEmit: false, declaration: true, rewriteRelativeImportExtensions: true, paths: {} },
    ...{ rootDir: path.join(root, 'src'), outDir: folder, typeRoots: [path.join(root, 'node_modules/@types')] },
    ...options,
  }
  const files = entries.map((entry) => path.join(root, entry))
  fs.writeFileSync(
    config,
    JSON.stringify({ extends: path.join(root, 'tsconfig.json'), compilerOptions, files, include: [] }),
  )
  execFileSync(process.execPath, [tsc, '-p', config, '--checkers', '1'], { stdio: ['ignore', 2, 2] })
  fs.rmSync(config)
  for (const file of filesOf(folder, '.d.ts')) fs.writeFileSync(file, withJsEndings(fs.readFileSync(file, 'utf8')))
}

/** Deletes the declarations in `folder` that are not reachable from `entries`, files in it. */
export function keepReached(folder, entries) {
  const reached = new Set(entries.map((entry) => path.join(folder, entry)))
  for (const file of reached)
    for (const [, name] of fs.readFileSync(file, 'utf8').matchAll(relative))
      reached.add(path.join(path.dirname(file), name).replace(/\.js$/, '.d.ts'))
  for (const file of filesOf(folder, '.d.ts')) {
    if (reached.has(file)) continue
    fs.rmSync(file)
    fs.rmSync(`${file}.map`, { force: true })
  }
}

/** `from './a.ts'`, `import './a.ts'`, `import('./a.ts')`. */
const relative = /\b(?:from |import |import\()['"](\.{1,2}\/[^'"]+)['"]/g

/** tsc rewrites the endings in JavaScript only. */
function withJsEndings(text) {
  return text.replaceAll(relative, (found) => found.replace(/\.ts(?=['"]$)/, '.js'))
}

export function filesOf(folder, ending) {
  return fs
    .readdirSync(folder, { recursive: true })
    .filter((name) => name.endsWith(ending))
    .map((name) => path.join(folder, name))
}
