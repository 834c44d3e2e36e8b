/**
 * Loads packages of a folder, each in a new simulated process, like a layer that imports the
 * package. Prints a line of JSON for each package.
 */
import fs from 'node:fs'
import path from 'node:path'
import { VirtualWorld } from 'virtual-node'
import { listenToProbes } from 'virtual-node/runtime'
import { loadImplementation } from '../../src/sim/adapters/load-implementation.ts'
import type { Loaded } from './list.ts'

const adapterFor = (name: string) => `import * as loaded from ${JSON.stringify(name)}
export default { id: 'loads', create: () => loaded }
`

async function load(file: string): Promise<Omit<Loaded, 'probed'>> {
  for (;;) {
    try {
      const loaded = await loadImplementation(file)
      const world = new VirtualWorld(1, file)
      let isLoaded = false
      world.start(async () => {
        await loaded.instantiate('consumer-1', true)
        isLoaded = true
      })
      await world.run({ timeUs: 1_000_000 })
      const takingIn = loaded.takeIn()
      if (takingIn === null) {
        const error = isLoaded ? null : (world.deaths[0] ?? 'it never loads')
        return { error, refused: world.unsupportedThings }
      }
      await takingIn
    } catch (error) {
      return { error: (error as Error).message, refused: [] }
    }
  }
}

const [folder, ...names] = process.argv.slice(2) as [string, ...string[]]
const file = path.join(folder, 'layer.mjs')
for (const name of names) {
  fs.writeFileSync(file, adapterFor(name))
  const probed = new Set<string>()
  listenToProbes((what) => probed.add(what))
  const { error, refused } = await load(file)
  const loaded = { error, refused: [...new Set(refused)], probed: [...probed].sort() } satisfies Loaded
  process.stdout.write(`${JSON.stringify({ name, ...loaded })}\n`)
}
fs.rmSync(file, { force: true })
