// Compiles the command line and the scenarios of the package into one folder.
import fs from 'node:fs'
import path from 'node:path'
import { pathToFileURL } from 'node:url'
import { build } from 'esbuild'

/**
 * Entries that are loaded by name: the command line and its workers, the package's exports,
 * scenarios, and the modules that these may import.
 */
const entryFiles = ['src/cli/main.ts', 'src/cli/worker-task.ts', 'src/cli/watchdog-task.ts', 'src/cli/property-task.ts']
const scenarioFolder = 'scenarios'
/** Defines how browser scripts are compiled, and finds them next to the compiled code. */
const browserScripts = 'src/report/page/browser-script.ts'
const importedByScenarios = ['src/contract', 'src/run', 'src/sim/plans']

/**
 * The entry with everything that scenarios may import. esbuild makes a file for each set of modules
 * that the same entries reach. With an entry for each of those modules, loading took half as long
 * again. Scenarios have separate entries, so that one that throws is named.
 */
const shared = 'imported-by-scenarios'

/**
 * Every module is in one place, whatever entry reaches it, so it is evaluated once. External
 * packages are imported unchanged. All files are in one folder, two levels below the package.
 */
export async function compile(packageFolder, folder) {
  const entries = [
    ...entryFiles,
    browserScripts,
    ...exported(packageFolder),
    ...sourcesIn(packageFolder, scenarioFolder),
  ]
  const modules = importedByScenarios.flatMap((name) => sourcesIn(packageFolder, name))
  const names = await namesOf(packageFolder, modules)
  const entryPoints = [...toEntries(packageFolder, entries), { in: shared, out: shared }]
  await compileInto(packageFolder, folder, entryPoints, [allOf(packageFolder, names)])
  for (const [file, own] of names)
    fs.writeFileSync(path.join(folder, `${nameOf(file)}.js`), reexported(own, file, 'from shared', `./${shared}.js`))
  await compileBrowserScripts(folder)
}

/** Compiles these sources of the package, with their imports, as the command line is compiled. */
export function compileSources(packageFolder, folder, sources) {
  return compileInto(packageFolder, folder, toEntries(packageFolder, sources), [])
}

async function compileInto(packageFolder, folder, entryPoints, plugins) {
  await build({
    ...how,
    entryPoints,
    outdir: folder,
    sourcemap: 'linked',
    // The sources are next to it, in a clone and in the package.
    sourcesContent: false,
    define: { 'import.meta.url': 'onceproof_url' },
    banner: { js: 'const onceproof_chunk=import.meta.url;' },
    plugins: [...plugins, packagesOf(packageFolder), ownUrls(packageFolder)],
  })
}

async function compileBrowserScripts(folder) {
  const { browserBuilds } = await import(pathToFileURL(path.join(folder, `${nameOf(browserScripts)}.js`)).href)
  for (const [name, options] of Object.entries(browserBuilds)) {
    const { outputFiles } = await build(options)
    fs.writeFileSync(path.join(folder, name), outputFiles[0].text)
  }
}

const how = {
  ...{ bundle: true, splitting: true, platform: 'node', format: 'esm', target: 'node20' },
  logLevel: 'silent',
}

function toEntries(packageFolder, files) {
  return files.map((file) => ({ in: path.join(packageFolder, file), out: nameOf(file) }))
}

/** The names that each module exports. */
async function namesOf(packageFolder, files) {
  const entryPoints = toEntries(packageFolder, files)
  const plugins = [packagesOf(packageFolder)]
  const { metafile } = await build({
    ...{ ...how, entryPoints, plugins },
    ...{ outdir: packageFolder, write: false, metafile: true },
  })
  const outputs = new Map(Object.entries(metafile.outputs).map(([name, output]) => [path.basename(name), output]))
  return new Map(files.map((file) => [file, outputs.get(`${nameOf(file)}.js`).exports]))
}

/** The shared entry: the exports of all modules under unique names. */
function allOf(packageFolder, names) {
  const lines = [...names].map(([file, own]) => reexported(own, file, 'into shared', path.join(packageFolder, file)))
  return {
    name: 'all-of',
    setup(build) {
      build.onResolve({ filter: new RegExp(`^${shared}$`) }, () => ({ path: shared, namespace: shared }))
      build.onLoad({ filter: /.*/, namespace: shared }, () => ({
        contents: lines.join(''),
        loader: 'js',
        resolveDir: packageFolder,
      }))
    },
  }
}

function reexported(names, file, way, from) {
  const unique = (name) => `${name}$${nameOf(file).replaceAll(/\W/g, '_')}`
  const renamed = (name) => (way === 'into shared' ? `${name} as ${unique(name)}` : `${unique(name)} as ${name}`)
  return `export { ${names.map(renamed).join(', ')} } from ${JSON.stringify(from)}\n`
}

/**
 * The sources of the exports in package.json: `./dist/types/impl/once.d.ts` declares
 * `src/impl/once.ts`.
 */
function exported(packageFolder) {
  const { exports } = JSON.parse(fs.readFileSync(path.join(packageFolder, 'package.json'), 'utf8'))
  const types = Object.values(exports).flatMap((entry) => entry.types ?? [])
  return types.map((file) => file.replace(/^\.\/dist\/types\//, 'src/').replace(/\.d\.ts$/, '.ts'))
}

/** The same as in src/cli/compiled.ts. */
export function nameOf(file) {
  return file.replaceAll('/', '.').replace(/\.ts$/, '')
}

/**
 * Workspace packages become part of the compiled code, because users do not install them. Each
 * exports `index.ts` of its `src`, and files and folders in it. Other packages are imported
 * unchanged.
 */
function packagesOf(packageFolder) {
  return {
    name: 'packages-of-the-workspace',
    setup(build) {
      build.onResolve({ filter: /^[^./]/ }, ({ path: imported, kind }) => {
        if (kind === 'entry-point') return null
        const [name, ...part] = imported.split('/')
        const own = path.join(packageFolder, 'packages', name)
        if (!fs.existsSync(own)) return { path: imported, external: true }
        const exported = path.join(own, 'src', ...part)
        return { path: fs.existsSync(`${exported}.ts`) ? `${exported}.ts` : path.join(exported, 'index.ts') }
      })
    },
  }
}

/** Keeps `import.meta.url` that of the source, wherever the compiled code is. */
function ownUrls(packageFolder) {
  return {
    name: 'own-urls',
    setup(build) {
      build.onLoad({ filter: /\.ts$/ }, async ({ path: file }) => {
        const source = await fs.promises.readFile(file, 'utf8')
        if (!source.includes('import.meta.url')) return { contents: source, loader: 'ts' }
        const own = path.relative(packageFolder, file).split(path.sep).join('/')
        // On the first line, so that line numbers stay the same.
        const contents = `var onceproof_url=new URL(${JSON.stringify(`../../${own}`)},onceproof_chunk).href;${source}`
        return { contents, loader: 'ts' }
      })
    },
  }
}

/** @throws Error if the package lacks the folder, which is not an error about writing */
function sourcesIn(packageFolder, folder) {
  if (!fs.existsSync(path.join(packageFolder, folder))) throw new Error(`the package has no folder ${folder}`)
  return fs
    .readdirSync(path.join(packageFolder, folder), { recursive: true })
    .map((name) => `${folder}/${name.split(path.sep).join('/')}`)
    .filter((file) => file.endsWith('.ts') && !file.endsWith('.d.ts'))
}
