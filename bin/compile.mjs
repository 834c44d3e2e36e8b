// Compiles the command line and the scenarios of the package into one folder.
import fs from 'node:fs'
import path from 'node:path'
import { build } from 'esbuild'

/** What is loaded by name: the command line and its workers, what the package exports, and what scenarios may import. */
const entryFiles = ['src/cli/main.ts', 'src/cli/worker-task.ts', 'src/cli/watchdog-task.ts']
const entryFolders = ['scenarios', 'src/contract', 'src/run', 'src/sim/plans']

/**
 * Every module is in one place, whichever entry it is reached by, so that it is evaluated once. Packages are imported
 * as they are. All files of the folder are beside each other: each is two folders below the package.
 */
export async function compile(packageFolder, folder) {
  const entries = [
    ...entryFiles,
    ...exported(packageFolder),
    ...entryFolders.flatMap((name) => sourcesIn(packageFolder, name)),
  ]
  await build({
    entryPoints: entries.map((file) => ({ in: path.join(packageFolder, file), out: nameOf(file) })),
    outdir: folder,
    bundle: true,
    splitting: true,
    platform: 'node',
    format: 'esm',
    target: 'node20',
    packages: 'external',
    sourcemap: 'linked',
    // The sources are beside it, in a clone and in the package.
    sourcesContent: false,
    logLevel: 'silent',
    define: { 'import.meta.url': 'onceproof_url' },
    banner: { js: 'const onceproof_chunk=import.meta.url;' },
    plugins: [ownUrls(packageFolder)],
  })
}

/** The sources of what package.json exports: `./dist/types/impl/once.d.ts` declares `src/impl/once.ts`. */
function exported(packageFolder) {
  const { exports } = JSON.parse(fs.readFileSync(path.join(packageFolder, 'package.json'), 'utf8'))
  const types = Object.values(exports).flatMap((entry) => entry.types ?? [])
  return types.map((file) => file.replace(/^\.\/dist\/types\//, 'src/').replace(/\.d\.ts$/, '.ts'))
}

/** As src/cli/compiled.ts has it, too. */
function nameOf(file) {
  return file.replaceAll('/', '.').replace(/\.ts$/, '')
}

/** `import.meta.url` is that of the source, wherever the code has ended up. */
function ownUrls(packageFolder) {
  return {
    name: 'own-urls',
    setup(build) {
      build.onLoad({ filter: /\.ts$/ }, async ({ path: file }) => {
        const source = await fs.promises.readFile(file, 'utf8')
        if (!source.includes('import.meta.url')) return { contents: source, loader: 'ts' }
        const own = path.relative(packageFolder, file).split(path.sep).join('/')
        // On the first line, so that all lines keep their numbers.
        const contents = `var onceproof_url=new URL(${JSON.stringify(`../../${own}`)},onceproof_chunk).href;${source}`
        return { contents, loader: 'ts' }
      })
    },
  }
}

/** @throws Error for a folder that this list names and the package lacks: what cannot be written is another matter. */
function sourcesIn(packageFolder, folder) {
  if (!fs.existsSync(path.join(packageFolder, folder))) throw new Error(`the package has no folder ${folder}`)
  return fs
    .readdirSync(path.join(packageFolder, folder), { recursive: true })
    .map((name) => `${folder}/${name.split(path.sep).join('/')}`)
    .filter((file) => file.endsWith('.ts') && !file.endsWith('.d.ts'))
}
