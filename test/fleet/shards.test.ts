/** Shards that `merge` refuses. cli/same-bytes.server.test.ts merges some. */
import fs from 'node:fs'
import path from 'node:path'
import { beforeAll, describe, expect, it } from 'vitest'
import { expectRefusal } from '../cli/refusal.ts'
import { temporaryFolder, write } from '../cli/run-cli.ts'
import { onceproofHere } from '../cli/run-here.ts'

describe('merge', () => {
  const cwd = temporaryFolder()
  const file = path.join(cwd, 's1/latest/shard.json')
  let text: string
  beforeAll(async () => {
    const small = ['--impl', 'canary-parks-everything', '--scenario', 'lost-reply', '--scenario', 'key-reuse']
    const rest = ['--runs', '1', '--no-html', '--json', '--workers', '1']
    for (const index of [1, 2])
      await onceproofHere([...small, ...rest, '--shard', `${index}/2`, '--reports', `s${index}`], { cwd })
    text = fs.readFileSync(file, 'utf8')
    write(cwd, 'other/shard.json', text.replace('"seed":1', '"seed":2').replace('"index":1', '"index":2'))
    write(cwd, 'cut/shard.json', text.slice(0, 1000))
    for (const index of [1, 2]) {
      const own = fs.readFileSync(path.join(cwd, `s${index}/latest/shard.json`), 'utf8')
      const impl = '"impl":["canary-parks-everything"]'
      write(cwd, `p${index}/shard.json`, own.replace(impl, '"impl":["exec:touch started"]'))
      const upgrade = '"impl":[{"from":"reference","next":"exec:touch started"}]'
      write(cwd, `u${index}/shard.json`, own.replace(impl, upgrade))
    }
  })

  it.each([
    ['one is missing', ['s1'], /^shard 2 of 2: missing; name the folders of all shards$/],
    ['one is repeated', ['s1', 's1'], /^s1: shard 1\/2 again, like s1; remove one of them$/],
    ['one would be overwritten', ['s1', 's2', '--reports', 's2'], /^--reports s2: the shard in s2 would be /],
    ['one has another seed', ['s1', 'other'], /^other: its seed is 2, but that of s1 is 1; /],
    ['a layer is a program', ['p1', 'p2'], /^merge: a shard of a program cannot be merged; /],
    ['a next version is a program', ['u1', 'u2'], /^merge: a shard of a program cannot be merged; /],
    ['one is truncated', ['cut', 's2'], /^cut\/shard\.json: incomplete or damaged; /],
  ])('refuses shards, and does not change them, if %s', async (_, args, line) => {
    await expectRefusal(['merge', ...args], 2, line, cwd)
    expect(fs.readFileSync(file, 'utf8')).toBe(text)
    expect(fs.existsSync(path.join(cwd, 'started'))).toBe(false)
  })
})
