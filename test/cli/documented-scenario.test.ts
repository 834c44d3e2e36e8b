import fs from 'node:fs'
import { expect, it } from 'vitest'
import { onceproof, temporaryFolder, write } from './run-cli.ts'

it('the scenario of docs/writing-a-scenario.md plays as it stands, and breaks a layer that is known to be broken', async () => {
  const page = fs.readFileSync(new URL('../../docs/writing-a-scenario.md', import.meta.url), 'utf8')
  const source = /```ts\n(.*?)```/s.exec(page)![1]!
  const cwd = temporaryFolder()
  write(cwd, 'flushed-at-noon.ts', source)
  const play = (...args: string[]) =>
    onceproof(['--scenario', './flushed-at-noon.ts', '--runs', '60', '--workers', '1', '--no-html', ...args], { cwd })
  expect(await play()).toMatchObject({ code: 0 })
  expect(await play('--impl', '001-get-set')).toMatchObject({ code: 1 })
})
