import fs from 'node:fs'
import os from 'node:os'
import path from 'node:path'
import { afterEach, describe, expect, it } from 'vitest'
import { startChild } from '../../bench/children.ts'
import { runCommand } from '../../bench/commands/run-command.ts'

describe('a measured process', () => {
  const { NODE_PATH } = process.env
  const folder = fs.mkdtempSync(path.join(os.tmpdir(), 'onceproof-bench-test-'))
  fs.mkdirSync(path.join(folder, 'bin'))
  fs.writeFileSync(path.join(folder, 'bin/onceproof.mjs'), 'console.log(process.env.NODE_PATH, process.env.HOME)')
  afterEach(() => {
    if (NODE_PATH === undefined) delete process.env.NODE_PATH
    else process.env.NODE_PATH = NODE_PATH
  })

  it('does not inherit NODE_PATH if it is a command', async () => {
    process.env.NODE_PATH = '/packages/of/the/starter'
    const lines: string[] = []
    await runCommand({ folder, args: [], line: (text) => lines.push(text) })
    expect(lines).toEqual([`undefined ${process.env.HOME}`])
  })

  it('does not inherit NODE_PATH if it is a child that plays runs', async () => {
    process.env.NODE_PATH = '/packages/of/the/starter'
    const child = await startChild<null, unknown>('../test/bench/reported-environment.mjs', [], { loadsSources: true })
    expect(await child.ask(null)).toEqual([null, process.env.HOME])
    await child.close()
  })
})
