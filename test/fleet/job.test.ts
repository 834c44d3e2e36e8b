import { expect, it } from 'vitest'
import type { Executor } from '../../src/campaign/play/executor.ts'
import type { ChunkTask } from '../../src/campaign/play/tasks.ts'
import { catalogue, packageFolder } from '../../src/cli/catalogue.ts'
import { doJob, sent } from '../../src/fleet/job.ts'

const pathOf = (kind: 'implementation' | 'scenario', name: string) =>
  catalogue(kind).find(({ id }) => id === name)!.path
const places = { package: packageFolder, folder: packageFolder }

/** The path of the task's layer on another machine. */
async function layerElsewhere(implementationPath: string): Promise<string> {
  const task = { scenarioPath: pathOf('scenario', 'lost-reply'), implementationPath } as ChunkTask
  let found = ''
  const runChunk = async (handed: ChunkTask) => {
    found = handed.implementationPath
    throw new Error('played enough')
  }
  const job = JSON.parse(JSON.stringify({ kind: 'chunk', task: await sent(task, places) }))
  await doJob(job, { runChunk } as unknown as Executor, places)
  return found
}

it.each([['001-get-set'], ['reference', 'reference-adopts']])(
  '%s %s are found on another machine',
  async (...names) => {
    const layer = names.map((name) => pathOf('implementation', name)).join(' with-next ')
    expect(await layerElsewhere(layer)).toBe(layer)
  },
)
