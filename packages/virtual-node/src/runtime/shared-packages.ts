/**
 * Client packages without state between clients, so that all simulated processes may share one
 * evaluation: V8 then optimizes one set of classes instead of one for every process.
 * `shared-packages.test.ts` proves that exactly these versions keep no such state; all other
 * packages and versions are evaluated for each process.
 *
 * Not in the list: `@redis/client`, which keeps the class of the last configured client.
 */
import fs from 'node:fs'
import path from 'node:path'
import type { Plugin } from 'esbuild'
import { type LeaveOut, ownLookup } from './bundle-outside.ts'

export const sharedVersions: Readonly<Record<string, string>> = {
  ioredis: '6.0.0',
  '@ioredis/commands': '2.0.0',
  'cluster-key-slot': '1.1.1',
  debug: '4.4.3',
  denque: '2.1.0',
  ms: '2.1.3',
  'redis-errors': '1.2.0',
  'standard-as-callback': '2.1.0',
}

/** Prefix of the path of a shared file in the `require` of a bundle. */
export const sharedPrefix = 'onceproof-shared:'

/** The shared files that an adapter's bundle requires. */
export interface SharedImports {
  readonly files: Set<string>
  /** True if a file is imported in a way that cannot be redirected: then nothing is shared. */
  awkward: boolean
}

const named = new RegExp(`^(${Object.keys(sharedVersions).join('|')})(/|$)`)

/** Leaves files of shared packages out of a bundle, which requires them by `sharedPrefix`. */
export function shareImports(found: SharedImports, leaveOut: LeaveOut): Plugin {
  return {
    name: 'share-imports',
    setup(build) {
      build.onResolve({ filter: named }, async ({ path: name, pluginData, ...where }) => {
        if (pluginData === ownLookup) return null
        const { path: file, errors, external } = await build.resolve(name, { ...where, pluginData: ownLookup })
        if (errors.length > 0 || external || !isShared(file)) return null
        if (where.kind !== 'import-statement' && where.kind !== 'require-call') found.awkward = true
        found.files.add(file)
        return leaveOut(sharedPrefix + file)
      })
    },
  }
}

/** True if the file belongs to a listed package in its listed version. */
export function isShared(file: string): boolean {
  if (!file.includes(`${path.sep}node_modules${path.sep}`)) return false
  const owner = ownerOf(path.dirname(file))
  return owner !== null && sharedVersions[owner.name] === owner.version
}

interface Owner {
  readonly name: string
  readonly version: string
}

const owners = new Map<string, Owner | null>()

/** The package of a folder; ignores a package.json without a name and a version. */
function ownerOf(folder: string): Owner | null {
  let owner = owners.get(folder)
  if (owner === undefined) owners.set(folder, (owner = readOwner(folder)))
  return owner
}

function readOwner(folder: string): Owner | null {
  const above = path.dirname(folder)
  try {
    const { name, version } = JSON.parse(fs.readFileSync(path.join(folder, 'package.json'), 'utf8'))
    if (typeof name === 'string' && typeof version === 'string') return { name, version }
  } catch {
    // No readable package.json: the folder belongs to the package of the folder above.
  }
  return above === folder ? null : ownerOf(above)
}
