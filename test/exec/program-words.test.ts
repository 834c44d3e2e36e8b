import { expect, it } from 'vitest'
import { programWords } from '../../src/contract/api/program-name.ts'
import { findFile, refTo } from '../../src/fleet/file-ref.ts'

it('the words of a program are parsed without a shell', () => {
  expect(programWords('exec:python3 layer.py')).toEqual(['python3', 'layer.py'])
  expect(programWords(`exec: './my layer' --say "a  b"'c' $HOME;`)).toEqual(['./my layer', '--say', 'a  bc', '$HOME;'])
  expect(programWords('exec:')).toBeNull()
  expect(programWords(`exec:a "b`)).toBeNull()
})

it('a program is not started on other machines', async () => {
  const places = { package: '/p', folder: '/f' }
  await expect(refTo('exec:/bin/true', places)).rejects.toThrow(/programs do not run on other machines/)
  expect(await findFile({ at: 'name', path: 'exec:/bin/true' }, places)).toMatchObject({ ok: false })
})
