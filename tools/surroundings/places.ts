/** The surroundings in which a campaign is played. They must not change a run. */
import fs from 'node:fs'
import os from 'node:os'
import path from 'node:path'

export interface Place {
  readonly name: string
  readonly env: Readonly<Record<string, string>>
  /** Flags of Node. */
  readonly flags: readonly string[]
  readonly node: string
  readonly workers: number
  /** The number of busy processes that compete for the CPU. */
  readonly busy: number
}

const here: Place = {
  name: 'as it is',
  env: {},
  flags: [],
  node: process.execPath,
  workers: 1,
  busy: 0,
}

/** All surroundings. The others are compared with the first. */
export function places(nodes: readonly string[]): readonly Place[] {
  const tokyo = { TZ: 'Asia/Tokyo', LANG: 'de_DE.UTF-8', LC_ALL: 'de_DE.UTF-8' }
  const istanbul = { TZ: 'America/St_Johns', LANG: 'tr_TR.UTF-8', LC_ALL: 'tr_TR.UTF-8', HOME: '/', NODE_ENV: 'test' }
  return [
    here,
    { ...here, name: 'Tokyo, in German', env: tokyo },
    { ...here, name: "St John's, in Turkish", env: istanbul },
    { ...here, name: 'a heap of 256 MB', flags: ['--max-old-space-size=256'] },
    { ...here, name: 'a heap of 2 GB', flags: ['--max-old-space-size=2048'] },
    { ...here, name: 'two workers', workers: 2 },
    { ...here, name: 'a busy machine', busy: 2 * os.availableParallelism() },
    ...nodes.map((node) => ({ ...here, name: `Node at ${node}`, node })),
  ]
}

/** Makes a new folder with a unique name that contains a copy of the adapter in a package. */
export function folderWith(adapter: string, modules: string): string {
  const folder = fs.mkdtempSync(path.join(os.tmpdir(), 'surroundings-'))
  fs.writeFileSync(path.join(folder, 'package.json'), '{}')
  fs.copyFileSync(adapter, path.join(folder, path.basename(adapter)))
  fs.symlinkSync(modules, path.join(folder, 'node_modules'))
  return folder
}
