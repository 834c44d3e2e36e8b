/** The properties of this installation on which results depend. */
import { createHash } from 'node:crypto'
import fs from 'node:fs'
import { createRequire } from 'node:module'
import path from 'node:path'
import type { Identity } from '../fleet/identity.ts'
import { filesUnder, packageFolder } from './catalogue.ts'

/** The version in package.json. */
export const version: string = JSON.parse(fs.readFileSync(path.join(packageFolder, 'package.json'), 'utf8')).version

/** The first members of every command's results. */
export function resultsHead(seed: number) {
  return { schemaVersion: 1, tool: `onceproof ${version}`, node: process.version, seed } as const
}

const workspace = path.join(packageFolder, 'packages')
const sourceFolders = [
  ...['src', 'lua', 'scenarios', 'implementations'],
  ...fs.readdirSync(workspace).map((name) => `packages/${name}/src`),
].filter((folder) => fs.existsSync(path.join(packageFolder, folder)))

/** The files are read each time, because an installation may be replaced while a worker waits. */
export function toolIdentity(): Identity {
  return { version, sources: sourcesDigest(), nodeMajor: Number(process.versions.node.split('.')[0]) }
}

function sourcesDigest(): string {
  const hash = createHash('sha256')
  for (const folder of sourceFolders)
    for (const file of filesUnder(path.join(packageFolder, folder))) {
      hash.update(`${path.relative(packageFolder, file).split(path.sep).join('/')}\0`)
      hash.update(fs.readFileSync(file))
    }
  for (const [name, found] of dependencies()) hash.update(`${name} ${found}\0`)
  return hash.digest('hex').slice(0, 16)
}

/** The installed versions, which may differ from the ranges in package.json. */
function dependencies(): [string, string][] {
  const own = JSON.parse(fs.readFileSync(path.join(packageFolder, 'package.json'), 'utf8'))
  // Results may also depend on two peer dependencies: layers of Onceproof use `pg`, and a fleet's
  // queue uses `bullmq`.
  return [...Object.keys(own.dependencies), 'bullmq', 'pg'].sort().map((name) => [name, installedVersion(name)])
}

const ourRequire = createRequire(import.meta.url)

function installedVersion(name: string): string {
  for (const folder of ourRequire.resolve.paths(name) ?? []) {
    const manifest = path.join(folder, name, 'package.json')
    if (fs.existsSync(manifest)) return JSON.parse(fs.readFileSync(manifest, 'utf8')).version
  }
  return 'missing'
}
