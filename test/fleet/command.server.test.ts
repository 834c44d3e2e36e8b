/** A fleet on the command line: one complete campaign, and the refusals that need the queue. */
import { spawn } from 'node:child_process'
import { fileURLToPath } from 'node:url'
import { expect, it, onTestFinished } from 'vitest'
import { expectRefusal } from '../cli/refusal.ts'
import { temporaryFolder } from '../cli/run-cli.ts'
import { onceproofHere } from '../cli/run-here.ts'
import { describeWithQueue } from './queue-server.ts'

const binary = fileURLToPath(new URL('../../bin/onceproof.mjs', import.meta.url))

describeWithQueue('a fleet on the command line', (queue) => {
  it('plays a campaign that this machine only requests', async () => {
    const cwd = temporaryFolder()
    const args = ['worker', '--fleet', queue.url, '--workers', '1']
    const worker = spawn(process.execPath, [binary, ...args], { cwd, stdio: 'ignore' })
    onTestFinished(() => void worker.kill('SIGKILL'))
    const small = ['--impl', 'reference', '--scenario', 'competing-consumers', '--runs', '21', '--no-html', '--json']
    const { code, stdout } = await onceproofHere([...small, '--fleet', queue.url, '--workers', '0'], { cwd })
    const { pairs, timings } = JSON.parse(stdout)
    expect(pairs).toMatchObject([{ implementation: 'reference', verdict: 'pass', runs: 21 }])
    expect([code, timings.workers]).toEqual([0, 0])
  })

  it('refuses a queue that is the Redis under test, under any name', async () => {
    const line = /^--redis localhost:\d+: this is the Redis of --fleet redis:\/\/127\.0\.0\.1:\d+, and tests empty /
    await expectRefusal(['run', '--fleet', queue.url, '--redis', `localhost:${queue.port}`], 2, line)
  })

  it('reports that the queue needs a password, and that a password is wrong', async () => {
    await queue.client.config('SET', 'requirepass', 'secret')
    onTestFinished(async () => void (await queue.client.config('SET', 'requirepass', '')))
    await expectRefusal(['run', '--fleet', queue.url], 2, /^--fleet redis:\/\/127\S+: it needs a password; /)
    const wrong = `redis://:oops@127.0.0.1:${queue.port}`
    await expectRefusal(['worker', '--fleet', wrong], 2, /^--fleet redis:\/\/127\S+: wrong password; /)
  })
})
