import fs from 'node:fs'
import { expect, it } from 'vitest'
import { temporaryFolder, write } from './run-cli.ts'
import { onceproofHere } from './run-here.ts'

it('the scenario of docs/guide/writing-a-scenario.md plays unchanged, and breaks a broken layer', async () => {
  const page = fs.readFileSync(new URL('../../docs/guide/writing-a-scenario.md', import.meta.url), 'utf8')
  const source = /```ts\n(.*?)```/s.exec(page)![1]!
  const cwd = temporaryFolder()
  write(cwd, 'flushed-at-noon.ts', source)
  const play = (...args: string[]) =>
    onceproofHere(['--scenario', './flushed-at-noon.ts', '--runs', '60', '--workers', '1', '--no-html', ...args], {
      cwd,
    })
  expect(await play()).toMatchObject({ code: 0 })
  expect(await play('--impl', '001-get-set', '--bail')).toMatchObject({ code: 1 })
})

it('the own invariant of docs/guide/writing-a-scenario.md is judged, reported and replayed', async () => {
  const page = fs.readFileSync(new URL('../../docs/guide/writing-a-scenario.md', import.meta.url), 'utf8')
  const source = [...page.matchAll(/```ts\n(.*?)```/gs)]
    .map(([, text]) => text!)
    .find((text) => text.includes('defineInvariant('))!
  const cwd = temporaryFolder()
  write(cwd, 'own.ts', source)
  const played = await onceproofHere(
    ['--scenario', './own.ts', '--runs', '4', '--workers', '1', '--no-html', '--json'],
    { cwd },
  )
  const results = JSON.parse(played.stdout)
  const invariants = { 'at-most-once': { verdict: 'valid' }, 'own:done-at-the-first-try': { verdict: 'violated' } }
  expect(results).toMatchObject({ exitCode: 1, pairs: [{ invariants }] })
  const { token } = results.findings[0]
  const again = await onceproofHere(['replay', token, '--scenario', './own.ts'], { cwd })
  expect(again).toMatchObject({
    code: 1,
    stdout: expect.stringContaining('violated: own:done-at-the-first-try (delivered-again)'),
  })
})
