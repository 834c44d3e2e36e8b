import { expect, it } from 'vitest'
import { noOrders } from '../../src/campaign/explore/explore-orders.ts'
import type { Executor } from '../../src/campaign/play/executor.ts'
import type { ExploreTask } from '../../src/campaign/play/explore-tasks.ts'
import type { ChunkTask } from '../../src/campaign/play/tasks.ts'
import { exploredToJson } from '../../src/campaign/results/explored-json.ts'
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

it('the answer to a job to explore has the orders, or the error', async () => {
  const files = {
    scenarioPath: pathOf('scenario', 'lost-reply'),
    implementationPath: pathOf('implementation', 'reference'),
  }
  const task = { ...files, deliveries: 3, faults: [] } as unknown as ExploreTask
  const job = JSON.parse(JSON.stringify({ kind: 'explore', task: await sent(task, places) }))
  const found = { ...noOrders(), orders: 6, passed: new Map([['0 answered', [true]]]) }
  const explore = async (handed: ExploreTask) => {
    expect(handed).toEqual(task)
    return found
  }
  const answer = await doJob(job, { explore } as unknown as Executor, places)
  expect(answer).toEqual({ ok: true, kind: 'explore', explored: exploredToJson(found) })
  const fails = () => Promise.reject(new Error('no memory'))
  const failed = await doJob(job, { explore: fails } as unknown as Executor, places)
  expect(failed).toMatchObject({ ok: false, error: { message: 'no memory' } })
})
