/** Replays a simulated partition on a real Redis behind a real Toxiproxy. */
import fs from 'node:fs'
import { beforeAll, expect, it } from 'vitest'
import { encodeRun } from '../../src/campaign/token/token.ts'
import { onceproof, temporaryFolder } from '../cli/run-cli.ts'
import { needs } from '../needs/needs.ts'
import { recordedPartition } from './recorded-partition.ts'

needs({ redis: '7.0', toxiproxy: true }).describe('a recorded partition on Redis behind Toxiproxy', () => {
  let cwd: string
  beforeAll(() => {
    cwd = temporaryFolder()
    fs.writeFileSync(`${cwd}/run.json`, encodeRun(recordedPartition))
  })
  // Without a URL, the program from the path is the default.
  const through = process.env.TOXIPROXY_URL === undefined ? [] : ['--proxy', process.env.TOXIPROXY_URL]
  const onLocal = (...args: string[]) => onceproof([...args, '--with', 'local', ...through], { cwd })

  it('breaks the layer as the simulator predicted, and names the proxy in the first line', async () => {
    const { code, stdout } = await onLocal('live', 'run.json', '--time-scale', '1', '--margin', '60000', '--no-html')
    // A slow machine prints that it is loading.
    const [first, ...rest] = stdout.split('\n').filter((line) => !line.startsWith('…'))
    expect(first).toMatch(/^with local: Redis 7\.0\.\d+, Toxiproxy (git|\d+\.\d+\.\d+)/)
    expect([code, rest.join('\n')]).toEqual([1, expect.stringContaining('at-most-once: repeat-after-error')])
  })

  it('is confirmed step by step', async () => {
    const { code, stdout } = await onLocal('replay-live', 'run.json')
    expect(stdout).toMatch(/^confirmed on local: Redis 7\.0\.\d+, Toxiproxy (git|\d+\.\d+\.\d+)\S*: (\d+) of \2 steps/m)
    expect(code).toBe(1)
  })
})
