import { goals } from '../../campaign/goals/index.ts'
import { invariants } from '../../check/index.ts'
import { faults } from '../../run/faults/index.ts'
import { readIdentity } from '../../sim/adapters/load-implementation.ts'
import { catalogue, type Entry, isCanary, isLibrary } from '../catalogue.ts'
import { createDeps } from '../create-deps.ts'
import type { Output } from '../output.ts'

interface Named {
  readonly name: string
  readonly about: string
}

/**
 * `list`. The members of its JSON document are `schemaVersion` and, each as a list of `{ name,
 * about }`: `scenarios`, `implementations`, `libraries`, `canaries`, `faults`, `invariants`,
 * `goals`.
 */
export async function listAll(output: Output): Promise<void> {
  const deps = createDeps(() => false)
  const layers = catalogue('implementation')
  const aboutLayer = async ({ path }: Entry) => (await readIdentity(path)).about ?? ''
  const sections: Record<string, readonly Named[]> = {
    scenarios: await Promise.all(
      catalogue('scenario').map((entry) => named(entry, async ({ path }) => (await deps.loadScenario(path)).story)),
    ),
    implementations: await Promise.all(
      layers.filter((entry) => !isCanary(entry) && !isLibrary(entry)).map((entry) => named(entry, aboutLayer)),
    ),
    libraries: await Promise.all(layers.filter(isLibrary).map((entry) => named(entry, aboutLayer))),
    canaries: await Promise.all(layers.filter(isCanary).map((entry) => named(entry, aboutLayer))),
    faults: [...faults.values()].map(({ kind, about }) => ({ name: kind, about })),
    invariants: Object.values(invariants).map(({ name, about }) => ({ name, about })),
    goals: goals.map(({ name, about }) => ({ name, about })),
  }
  if (output.json) return output.document({ schemaVersion: 1, ...sections })
  for (const [title, named] of Object.entries(sections)) {
    output.line(title)
    const width = Math.max(...named.map(({ name }) => name.length))
    for (const { name, about } of named) output.line(`  ${name.padEnd(width)}  ${about}`)
    output.line('')
  }
}

/** A file that cannot be loaded stays in the list, with the reason. */
async function named(entry: Entry, about: (entry: Entry) => Promise<string>): Promise<Named> {
  const text = await about(entry).catch((error: Error) => `cannot be loaded: ${error.message}`)
  return { name: entry.id, about: text }
}
