/** Explorations on a fleet: the same results as on one machine, and answers that are refused. */
import { spawn } from 'node:child_process'
import { fileURLToPath } from 'node:url'
import { Worker } from 'bullmq'
import { expect, it, onTestFinished } from 'vitest'
import { noOrders } from '../../src/campaign/explore/explore-orders.ts'
import type { ExploreTask } from '../../src/campaign/play/explore-tasks.ts'
import { exploredToJson } from '../../src/campaign/results/explored-json.ts'
import { packageFolder } from '../../src/cli/catalogue.ts'
import { withoutTimeout } from '../../src/fleet/open-queue.ts'
import { readQueueAddress } from '../../src/fleet/queue-address.ts'
import { queuePrefix } from '../../src/fleet/registry.ts'
import { alone, campaign } from '../campaign/conduct/exploring-campaign.ts'
import { temporaryFolder } from '../cli/run-cli.ts'
import { onceproofHere } from '../cli/run-here.ts'
import { fakeFolder, openFleet } from './party.ts'
import { describeWithQueue } from './queue-server.ts'

const binary = fileURLToPath(new URL('../../bin/onceproof.mjs', import.meta.url))

describeWithQueue('an exploration on a fleet', (queue) => {
  it('prints the same as on one machine', async () => {
    const cwd = temporaryFolder()
    const explored = async (faults: string, ...machines: string[]) => {
      const asked = ['--impl', '000-lua-acquire', '--kinds', 'crash', '--faults', faults, '--json']
      const { code, stdout } = await onceproofHere(['explore', ...asked, ...machines], { cwd })
      return { ...JSON.parse(stdout), code, timings: null }
    }
    for (let count = 0; count < 2; count++) {
      const args = [binary, 'worker', '--fleet', queue.url, '--workers', '1']
      const worker = spawn(process.execPath, args, { cwd, stdio: 'ignore' })
      onTestFinished(() => void worker.kill('SIGKILL'))
    }
    const fleet = await explored('1', '--fleet', queue.url, '--workers', '0')
    expect(fleet).toMatchObject({ exitCode: 1, levels: [{ faults: 0 }, { faults: 1 }] })
    expect(fleet).toEqual(await explored('1', '--workers', '1'))
    expect(fleet).not.toEqual(await explored('0', '--workers', '1'))
  })

  it('comes first in a campaign, as on one machine, to the byte', async () => {
    const wanted = { layer: '000-lua-acquire', runs: 1 }
    const executor = await openFleet(queue.url, { folder: fakeFolder(), package: packageFolder, own: alone() })
    const found = await campaign({ ...wanted, executor }).finally(() => executor.close())
    expect(found.explored).toHaveLength(1)
    expect(JSON.stringify(found)).toBe(JSON.stringify(await campaign(wanted)))
    expect(JSON.stringify(found)).not.toBe(JSON.stringify(await campaign({ ...wanted, scenario: 'only-crashes' })))
  })

  /** Asks a fleet to explore. */
  async function asking(stopped = () => false) {
    const folder = fakeFolder()
    const executor = await openFleet(queue.url, { folder, stopped })
    onTestFinished(() => executor.close())
    const task: ExploreTask = {
      ...{ scenarioPath: `${folder}/s.mjs`, implementationPath: `${folder}/i.mjs` },
      ...{ scenarioName: 's', implementationName: 'i', sink: 'plain', deliveries: 2, shape: 'apart' },
      ...{ faults: [], bail: true, undelayed: true, runs: 1 },
    }
    return executor.explore(task)
  }

  /** Answers all jobs of the only campaign. */
  async function answer(explored: unknown) {
    await expect.poll(() => queue.client.scard('onceproof:campaigns'), { timeout: 10_000 }).toBe(1)
    const [name] = await queue.client.smembers('onceproof:campaigns')
    const connection = withoutTimeout(readQueueAddress(queue.url))
    const worker = new Worker(name!, async () => ({ ok: true, kind: 'explore', explored }), {
      prefix: queuePrefix,
      connection,
    })
    onTestFinished(() => worker.close())
  }

  const nothing = { ...noOrders(), passed: new Map() }

  it('takes the answer of any worker', async () => {
    const [explored] = await Promise.all([asking(), answer(exploredToJson(nothing))])
    expect(explored).toEqual(nothing)
  })

  it.each([
    ['has no counts', {}],
    ['has a count that is not whole', { ...(exploredToJson(nothing) as object), runs: 0.5 }],
  ])('refuses an answer that %s', async (_, explored) => {
    const refused = expect(asking()).rejects.toThrow('unreadable answer of a worker: not an exploration')
    await Promise.all([refused, answer(explored)])
  })

  it('is cut without waiting for a worker if the user stops it', async () => {
    expect(await asking(() => true)).toEqual({ ...nothing, isCut: true })
  })
})
