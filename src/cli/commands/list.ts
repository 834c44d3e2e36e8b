import { goals } from '../../campaign/goals/index.ts'
import { invariants } from '../../check/index.ts'
import { faults } from '../../sim/faults/index.ts'
import { catalogue, type Entry } from '../catalogue.ts'
import type { Output } from '../output.ts'
import { realWorkbench } from '../real-workbench.ts'

interface Named {
  readonly name: string
  readonly about: string
}

/** `list`. Its document: `{ schemaVersion, scenarios, implementations, faults, invariants, goals }`, each a list of `{ name, about }`. */
export async function listAll(output: Output): Promise<void> {
  const bench = realWorkbench(() => false)
  const sections: Record<string, readonly Named[]> = {
    scenarios: await Promise.all(
      catalogue('scenario').map((entry) => named(entry, async ({ path }) => (await bench.loadScenario(path)).story)),
    ),
    implementations: await Promise.all(
      catalogue('implementation').map((entry) =>
        named(entry, async ({ path }) => (await bench.loadImplementation(path)).implementation.about ?? ''),
      ),
    ),
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

/** A file that cannot be loaded keeps its place in the list, with the reason, and hides none of the others. */
async function named(entry: Entry, about: (entry: Entry) => Promise<string>): Promise<Named> {
  const text = await about(entry).catch((error: Error) => `cannot be loaded: ${error.message}`)
  return { name: entry.id, about: text }
}
