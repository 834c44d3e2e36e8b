/** Steps of `.ci/run` that run beside one another. */
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import fs from 'node:fs'
import path from 'node:path'
import { fileURLToPath } from 'node:url'
import { expect, it } from 'vitest'
import { temporaryFolder } from '../cli/run-cli.ts'

const beside = fileURLToPath(new URL('../../.ci/beside', import.meta.url))

function script(...lines: readonly string[]) {
  const cwd = temporaryFolder()
  const text = ['set -euo pipefail', `source '${beside}'`, ...lines].join('\n')
  const child = spawn('bash', ['-c', text], { cwd, stdio: ['ignore', 'pipe', 'inherit'] })
  const said = { stdout: '' }
  child.stdout.on('data', (chunk) => (said.stdout += chunk))
  const ended = once(child, 'close').then(([code]) => ({ code, stdout: said.stdout }))
  return { child, cwd, ended, said }
}

/** Ends once the file is there; fails where it does not come. */
const awaits = (file: string) =>
  `for i in {1..600}; do if [ -e ${file} ]; then break; fi; sleep 0.05; done; [ -e ${file} ]`

it('run at the same time, and are told one after the other in the order of their starts', async () => {
  const { ended } = script(
    `beside first bash -c 'echo one; ${awaits('flag')}; echo and one'`,
    `beside second bash -c 'echo two; echo and two >&2; touch flag'`,
    'all_beside',
    'echo behind them',
  )
  const told = '\n== first\none\nand one\n\n== second\ntwo\nand two\nbehind them\n'
  expect(await ended).toEqual({ code: 0, stdout: told })
})

it('are all told where some fail, and these are named: exit 1, and nothing behind them', async () => {
  const { ended } = script(
    `beside first bash -c 'echo one; exit 3'`,
    `beside second bash -c '${awaits('flag')}; echo two'`,
    `beside third no-such-command`,
    'touch flag',
    'all_beside',
    'echo behind them',
  )
  const { code, stdout } = await ended
  expect(code).toBe(1)
  expect(stdout).toMatch(/^\n== first\none\n\n== second\ntwo\n\n== third\n.*no-such-command.*\n/)
  expect(stdout).toMatch(/\n\nfailed: first \(exit 3\)\n\nfailed: third \(exit 127\)\n$/)
})

it('end before the script does', async () => {
  const { child, cwd, ended } = script(
    `beside first bash -c 'trap "echo so >ended; exit" TERM; touch there; while true; do sleep 0.05; done'`,
    `${awaits('there')}; echo there`,
    'all_beside',
  )
  await once(child.stdout, 'data')
  expect(fs.existsSync(path.join(cwd, 'ended'))).toBe(false)
  child.kill('SIGTERM')
  expect((await ended).code).toBe(143)
  expect(fs.existsSync(path.join(cwd, 'ended'))).toBe(true)
})
