// Finds the command line's compiled code, and compiles it if it is missing or older than its
// sources.
import { createHash, randomBytes } from 'node:crypto'
import fs from 'node:fs'
import path from 'node:path'

/** Contains a folder for each compilation. `current.json` names the newest. */
const folderName = 'dist'
/**
 * The sources, and the files that decide how they are compiled. The compiler's version is in the
 * manifest.
 */
const sourcesOf = (packageFolder) => ['src', 'scenarios', 'bin', ...workspaceSources(packageFolder), 'package.json']

/**
 * The folder that was made when the package was packed. The package's exports and the first
 * compiled command line are in it.
 */
const packed = 'packed'

/** A file that changes twice within this time may keep its time stamp. */
const clockTickMs = 2000
/** How long older compiled code is kept, because a running process may still load parts of it. */
const keptMs = 24 * 60 * 60 * 1000

/**
 * The folder of the compiled code; null if it cannot be stored. Sizes and times are compared at
 * every start, contents only if those differ.
 */
export async function compiledFolder(packageFolder) {
  const home = path.join(packageFolder, folderName)
  const current = readCurrent(home)
  const listing = listed(packageFolder, sourcesOf(packageFolder))
  const sound = current !== null && isSound(home, current)
  if (sound && current.sources === listing.digest && listing.newestMs < current.checkedMs - clockTickMs)
    return path.join(home, current.name)
  const checkedMs = Date.now()
  const contents = contentsOf(packageFolder, listing.files)
  const known = sound && current.contents === contents ? current.name : isAsPacked(home, contents) ? packed : null
  try {
    if (known !== null) {
      keepAsCurrent(home, known, listing.digest, contents, checkedMs)
      return path.join(home, known)
    }
    const name = `${contents.slice(0, 8)}-${randomBytes(4).toString('hex')}`
    fs.mkdirSync(home, { recursive: true })
    fs.accessSync(home, fs.constants.W_OK)
    const { compile } = await import('./compile.mjs')
    await compile(packageFolder, path.join(home, name))
    keepAsCurrent(home, name, listing.digest, contents, checkedMs)
    removeOld(home, name)
    return path.join(home, name)
  } catch (error) {
    // The sources have errors. tsx reports them if they are loaded at all.
    if (error.errors !== undefined) return null
    if (typeof error.code !== 'string') throw error
    return known === null ? null : path.join(home, known)
  }
}

/** Compiles into the folder for packing, unless it is up to date. */
export async function compilePacked(packageFolder) {
  const home = path.join(packageFolder, folderName)
  const contents = contentsOf(packageFolder, listed(packageFolder, sourcesOf(packageFolder)).files)
  if (isAsPacked(home, contents)) return
  const { compile } = await import('./compile.mjs')
  fs.rmSync(path.join(home, packed), { recursive: true, force: true })
  await compile(packageFolder, path.join(home, packed))
  const { sizes } = listed(home, [packed])
  fs.writeFileSync(path.join(home, 'packed.json'), JSON.stringify({ contents, sizes }))
}

/**
 * True if the packed code was made from these sources and is unchanged. Packing changes time
 * stamps, so only sizes are compared.
 */
function isAsPacked(home, contents) {
  try {
    const made = JSON.parse(fs.readFileSync(path.join(home, 'packed.json'), 'utf8'))
    return made.contents === contents && made.sizes === listed(home, [packed]).sizes
  } catch {
    return false
  }
}

function keepAsCurrent(home, name, listing, contents, checkedMs) {
  const compiled = listed(home, [name]).digest
  writeCurrent(home, { name, sources: listing, contents, compiled, checkedMs })
}

function contentsOf(packageFolder, files) {
  return digestOf(
    files.map((file) => [file, file === 'package.json' ? manifestOf(packageFolder) : read(packageFolder, file)]),
  )
}

/** The sources of workspace packages, which become part of the compiled code. */
function workspaceSources(packageFolder) {
  const names = fs.readdirSync(path.join(packageFolder, 'packages')).sort()
  return names.map((name) => `packages/${name}/src`).filter((folder) => fs.existsSync(path.join(packageFolder, folder)))
}

/** The parts of the manifest that affect compilation. Packers change the rest. */
function manifestOf(packageFolder) {
  const { type, version, exports, dependencies } = JSON.parse(read(packageFolder, 'package.json'))
  return JSON.stringify({ type, version, exports, dependencies })
}

function read(packageFolder, file) {
  return fs.readFileSync(path.join(packageFolder, file))
}

/** Null if it is missing or invalid. */
function readCurrent(home) {
  try {
    const current = JSON.parse(fs.readFileSync(path.join(home, 'current.json'), 'utf8'))
    return typeof current?.name === 'string' ? current : null
  } catch {
    return null
  }
}

/** Writes atomically, even if another process writes at the same time. */
function writeCurrent(home, current) {
  const draft = path.join(home, `.${randomBytes(8).toString('hex')}`)
  fs.writeFileSync(draft, JSON.stringify(current))
  fs.renameSync(draft, path.join(home, 'current.json'))
}

/** True if all compiled files are unchanged. */
function isSound(home, { name, compiled }) {
  return fs.existsSync(path.join(home, name)) && listed(home, [name]).digest === compiled
}

function removeOld(home, name) {
  for (const other of fs.readdirSync(home)) {
    if (other === name || !/^[0-9a-f]{8}-[0-9a-f]{8}$|^\./.test(other)) continue
    const folder = path.join(home, other)
    const { mtimeMs } = fs.statSync(folder, { throwIfNoEntry: false }) ?? { mtimeMs: Number.POSITIVE_INFINITY }
    if (mtimeMs < Date.now() - keptMs) fs.rmSync(folder, { recursive: true, force: true })
  }
}

/** All files below, with a digest of sizes and times, and one of sizes only. */
function listed(root, names) {
  const files = names.flatMap((name) => filesOf(root, name)).sort()
  let newestMs = 0
  const stats = files.map((file) => {
    const { size, mtimeMs } = fs.statSync(path.join(root, file))
    newestMs = Math.max(newestMs, mtimeMs)
    return [file, `${size} ${mtimeMs}`]
  })
  const sizes = digestOf(stats.map(([file, stat]) => [file, stat.split(' ')[0]]))
  return { files, digest: digestOf(stats), sizes, newestMs }
}

function filesOf(root, name) {
  const entries = fs.statSync(path.join(root, name)).isDirectory()
    ? fs.readdirSync(path.join(root, name), { withFileTypes: true })
    : null
  if (entries === null) return [name]
  return entries.flatMap((entry) => {
    const inner = `${name}/${entry.name}`
    if (entry.isDirectory()) return filesOf(root, inner)
    return /\.(?:m?[jt]s|map)$/.test(entry.name) ? [inner] : []
  })
}

function digestOf(parts) {
  const hash = createHash('sha256')
  for (const [name, contents] of parts) hash.update(`${name}\0${contents.length}\0`).update(contents)
  return hash.digest('hex')
}
