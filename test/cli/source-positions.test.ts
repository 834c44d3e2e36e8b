import { pathToFileURL } from 'node:url'
import { transformSync } from 'esbuild'
import { expect, it } from 'vitest'
import { withSourcePositions } from '../../src/cli/source-positions.ts'
import { temporaryFolder, write } from './run-cli.ts'

it('a position in compiled code is mapped to its source, and one without a map is kept', () => {
  const source = "interface A {\n  b: string\n}\n\nexport const fail = (_: A) => {\n  throw new Error('x')\n}\n"
  const { code, map } = transformSync(source, { loader: 'ts', sourcemap: 'external', sourcefile: 'a.ts' })
  const folder = temporaryFolder()
  const compiled = pathToFileURL(write(folder, 'a.js', code)).href
  write(folder, 'a.js.map', map)
  const line = code.split('\n').findIndex((text) => text.includes('throw')) + 1
  expect(line).not.toBe(6)
  expect(withSourcePositions(`at fail (${compiled}:${line}:3)`)).toBe(`at fail (${compiled.replace('.js', '.ts')}:6:3)`)
  expect(withSourcePositions('at file:///nowhere/b.js:2:3')).toBe('at file:///nowhere/b.js:2:3')
})
