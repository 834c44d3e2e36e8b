import { goals } from '../../campaign/goals/index.ts'
import { invariants } from '../../check/index.ts'
import { faults } from '../../sim/faults/index.ts'
import { catalogue } from '../catalogue.ts'
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
      catalogue('scenario').map(async ({ id, path }) => ({ name: id, about: (await bench.loadScenario(path)).story })),
    ),
    implementations: await Promise.all(
      catalogue('implementation').map(async ({ id, path }) => {
        const { implementation } = await bench.loadImplementation(path)
        return { name: id, about: implementation.about ?? '' }
      }),
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
