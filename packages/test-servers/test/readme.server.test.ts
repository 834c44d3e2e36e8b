import fs from 'node:fs'
import { pathToFileURL } from 'node:url'
import { expect } from 'vitest'
import { temporaryFolder, write } from '../../../test/cli/run-cli.ts'
import { needs } from '../../../test/needs/needs.ts'

needs({ redis: '7.0' }).it('the example of the README runs', async () => {
  const readme = fs.readFileSync(new URL('../README.md', import.meta.url), 'utf8')
  const [, example] = /```ts\n(.*?)```/s.exec(readme)!
  const folder = temporaryFolder()
  fs.symlinkSync(new URL('../../../node_modules', import.meta.url), `${folder}/node_modules`)
  const file = write(folder, 'example.ts', example!)
  expect(await import(pathToFileURL(file).href)).toMatchObject({ greeting: 'hello' })
})
