import { expect, test } from 'vitest'
import { withoutFolders } from '../../../src/sim/world/without-folders.ts'

test('a stack names files without the folders of the machine', () => {
  expect(withoutFolders('at run (/home/me/project/src/my-layer.ts.bundle.js:12:3)')).toBe(
    'at run (my-layer.ts.bundle.js:12:3)',
  )
  expect(withoutFolders("ENOENT: no such file, open '/var/x/a.lua'")).toBe("ENOENT: no such file, open 'a.lua'")
  expect(withoutFolders('at file:///opt/app/index.mjs:1:1')).toBe('at index.mjs:1:1')
})

test('what is no file stays as it is', () => {
  for (const text of ['connect ECONNREFUSED 10.0.0.1:6379', 'GET /payments/17', 'a/b and 1/2', 'redis://redis:6379'])
    expect(withoutFolders(text)).toBe(text)
})
