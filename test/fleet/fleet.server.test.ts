import { afterEach, expect, it } from 'vitest'
import { inlineExecutor } from '../../src/campaign/conduct/inline-executor.ts'
import { oneAtATime } from '../../src/campaign/play/one-at-a-time.ts'
import { fakeBench } from '../campaign/fake-deps.ts'
import { write } from '../cli/run-cli.ts'
import { fakeFolder, onFleet, onOneMachine, openFleet, startWorker } from './party.ts'
import { describeWithQueue } from './queue-server.ts'

/** The line of a worker that waits for campaigns. */
const ready = /^worker worker-\d+: 1 thread for /

describeWithQueue('a fleet gives the same result as one machine, to the byte,', (queue) => {
  /** The remaining keys. A worker may hold some until it looks again. */
  const left = () => queue.client.keys('*')
  afterEach(async () => expect.poll(left, { timeout: 10_000 }).toEqual([]))

  it('with two workers', async () => {
    const folder = fakeFolder()
    const workers = [startWorker(queue.url, { folder }), startWorker(queue.url, { folder })]
    const said: string[] = []
    const result = await onFleet(await openFleet(queue.url, { folder, say: (line) => said.push(line) }), folder)
    expect(result).toBe(await onOneMachine(folder))
    expect(workers.flatMap(({ lines }) => lines).filter((line) => line === 'at work').length).toBeGreaterThan(8)
    expect(said.filter((line) => / joined with 1 thread$/.test(line)).length).toBeGreaterThan(0)
  })

  it('with this machine alone', async () => {
    const folder = fakeFolder()
    const own = inlineExecutor(fakeBench(), oneAtATime())
    expect(await onFleet(await openFleet(queue.url, { folder, own }), folder)).toBe(await onOneMachine(folder))
  })

  it('with a late worker', async () => {
    const folder = fakeFolder()
    const said: string[] = []
    const executor = await openFleet(queue.url, { folder, say: (line) => said.push(line) })
    const result = onFleet(executor, folder)
    await expect
      .poll(() => said, { timeout: 10_000 })
      .toContainEqual(expect.stringMatching(/^fleet: no worker yet at /))
    startWorker(queue.url, { folder })
    expect(await result).toBe(await onOneMachine(folder))
  })

  it('with three workers, one of which is killed during a job', async () => {
    const folder = fakeFolder()
    const [victim] = [60_000, 0, 10].map((pauseMs) => startWorker(queue.url, { folder, pauseMs }))
    await victim!.says(ready)
    const result = onFleet(await openFleet(queue.url, { folder }), folder)
    await victim!.says(/^at work$/)
    victim!.process.kill('SIGKILL')
    expect(await result).toBe(await onOneMachine(folder))
  })

  it('with a queue that loses all its data and restarts empty', async () => {
    const folder = fakeFolder()
    const said: string[] = []
    const worker = startWorker(queue.url, { folder, pauseMs: 200 })
    const result = onFleet(await openFleet(queue.url, { folder, say: (line) => said.push(line) }), folder)
    await worker.says(/^at work$/)
    await queue.kill()
    await worker.says(/ does not answer; waiting for it$/)
    await queue.start()
    expect(await result).toBe(await onOneMachine(folder))
    expect(said).toContainEqual(expect.stringMatching(/ does not answer; waiting for it$/))
    expect(said).toContainEqual(expect.stringMatching(/ is back$/))
  })

  it('with a queue that has jobs, but lost the list of waiting jobs', async () => {
    const folder = fakeFolder()
    const result = onFleet(await openFleet(queue.url, { folder }), folder)
    const waiting = () => queue.client.keys('*:wait')
    await expect.poll(waiting, { timeout: 10_000 }).toHaveLength(1)
    expect(await queue.client.del(await waiting())).toBe(1)
    startWorker(queue.url, { folder })
    expect(await result).toBe(await onOneMachine(folder))
  })

  it('with a worker that refuses because its layer differs, and a worker with the right one', async () => {
    const [folder, other] = [fakeFolder(), fakeFolder()]
    write(other, 'i.mjs', 'export default { changed: true }\n')
    const said: string[] = []
    const refusing = startWorker(queue.url, { folder: other })
    const willing = startWorker(queue.url, { folder, pauseMs: 200 })
    await Promise.all([refusing.says(ready), willing.says(ready)])
    const result = onFleet(await openFleet(queue.url, { folder, say: (line) => said.push(line) }), folder)
    await refusing.says(/^worker worker-\d+ refuses a campaign: its i\.mjs, or an import of it, differs /)
    expect(await result).toBe(await onOneMachine(folder))
    expect(said).toContainEqual(expect.stringMatching(/^fleet: worker worker-\d+ was refused: its i\.mjs, /))
    expect(refusing.lines).not.toContain('at work')
  })

  it('with a worker of other sources, which exits with 2, and a worker of the same sources', async () => {
    const folder = fakeFolder()
    const said: string[] = []
    const other = startWorker(queue.url, { folder, sources: 'def' })
    const willing = startWorker(queue.url, { folder, pauseMs: 200 })
    await Promise.all([other.says(ready), willing.says(ready)])
    const result = onFleet(await openFleet(queue.url, { folder, say: (line) => said.push(line) }), folder)
    expect(await other.exited).toEqual([2, null])
    expect(other.lines.at(-1)).toMatch(/^worker worker-\d+: its onceproof has sources def instead of abc/)
    startWorker(queue.url, { folder })
    expect(await result).toBe(await onOneMachine(folder))
    expect(said).toContainEqual(
      expect.stringMatching(/^fleet: worker worker-\d+ was refused: its onceproof has sources /),
    )
  })
})

describeWithQueue('a campaign on a fleet', (queue) => {
  it('ends without waiting for a worker if the user stops it, and leaves nothing in the queue', async () => {
    const folder = fakeFolder()
    let stopped = false
    const worker = startWorker(queue.url, { folder, pauseMs: 60_000 })
    const executor = await openFleet(queue.url, { folder, stopped: () => stopped })
    const result = onFleet(executor, folder, () => stopped)
    await worker.says(/^at work$/)
    stopped = true
    expect(JSON.parse(await result)).toMatchObject({ interrupted: true, exitCode: 130 })
    await expect.poll(() => queue.client.keys('*'), { timeout: 10_000 }).toEqual([])
  })

  it('expires completely if the asker disappears', async () => {
    const folder = fakeFolder()
    const executor = await openFleet(queue.url, { folder })
    const chunk = {
      scenarioPath: `${folder}/s.mjs`,
      implementationPath: `${folder}/i.mjs`,
      from: 0,
      to: 10,
      bail: false,
    }
    const names = { scenarioName: 's', implementationName: 'i', sink: 'plain', seed: 1, fresh: false } as const
    executor.runChunk({ ...chunk, ...names }).catch(() => {})
    const unexpiring = async () => {
      const keys = await queue.client.keys('*')
      const left = await Promise.all(keys.map(async (key) => [key, await queue.client.pttl(key)] as const))
      return { keys: keys.length > 5, lasting: left.filter(([, ms]) => ms < 0) }
    }
    await expect.poll(unexpiring, { timeout: 10_000 }).toEqual({ keys: true, lasting: [] })
    await executor.close()
  })

  it('reports the load error of a worker like a local one', async () => {
    const folder = fakeFolder()
    write(folder, 'broken-file.mjs', 'export default {}\n')
    startWorker(queue.url, { folder })
    const executor = await openFleet(queue.url, { folder })
    const files = { scenarioPath: `${folder}/s.mjs`, implementationPath: `${folder}/broken-file.mjs` }
    const names = { scenarioName: 's', implementationName: 'i', sink: 'plain', seed: 1, fresh: false } as const
    const chunk = executor.runChunk({ ...files, ...names, from: 0, to: 10, bail: false })
    await expect(chunk).rejects.toMatchObject({ name: 'LoadError', culprit: './broken-file.mjs' })
    await executor.close()
  })

  it('cannot hand out a file outside of the working folder', async () => {
    const [folder, elsewhere] = [fakeFolder(), fakeFolder()]
    const executor = await openFleet(queue.url, { folder })
    const files = { scenarioPath: `${folder}/s.mjs`, implementationPath: `${elsewhere}/i.mjs` }
    const names = { scenarioName: 's', implementationName: 'i', sink: 'plain', seed: 1, fresh: false } as const
    const chunk = executor.runChunk({ ...files, ...names, from: 0, to: 10, bail: false })
    await expect(chunk).rejects.toMatchObject({ name: 'FleetProblem', culprit: `${elsewhere}/i.mjs` })
    await executor.close()
  })
})
