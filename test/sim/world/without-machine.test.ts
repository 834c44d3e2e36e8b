import { expect, test } from 'vitest'
import { withoutMachine } from '../../../src/sim/world/without-machine.ts'

test('a stack names files without the folders of the machine', () => {
  expect(withoutMachine('at run (/home/me/project/src/my-layer.ts.bundle.js:12:3)')).toBe(
    'at run (my-layer.ts.bundle.js:12:3)',
  )
  expect(withoutMachine("ENOENT: no such file, open '/var/x/a.lua'")).toBe("ENOENT: no such file, open 'a.lua'")
  expect(withoutMachine('at file:///opt/app/index.mjs:1:1')).toBe('at index.mjs:1:1')
})

test('a stack omits frames of Node, whose lines differ between versions', () => {
  const stack = 'Error: a\n    at run (my-layer.ts:1:2)\n    at process.processImmediate (node:internal/timers:483:21)'
  expect(withoutMachine(`${stack}\n    at node:events:519:28\nsaid`)).toBe(
    'Error: a\n    at run (my-layer.ts:1:2)\nsaid',
  )
  expect(withoutMachine('at most node:1')).toBe('at most node:1')
})

test('other text is unchanged', () => {
  for (const text of ['connect ECONNREFUSED 10.0.0.1:6379', 'GET /payments/17', 'a/b and 1/2', 'redis://redis:6379'])
    expect(withoutMachine(text)).toBe(text)
})
