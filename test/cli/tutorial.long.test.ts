import fs from 'node:fs'
import path from 'node:path'
import { fileURLToPath } from 'node:url'
import { expect, it } from 'vitest'
import { temporaryFolder, write } from './run-cli.ts'
import { onceproofHere } from './run-here.ts'

interface Command {
  readonly line: string
  /** The expected output, in order. */
  readonly says: readonly string[]
}

const page = fs.readFileSync(new URL('../../docs/start/tutorial.md', import.meta.url), 'utf8')

it('each file and each command of docs/start/tutorial.md has the described result', async () => {
  const cwd = temporaryFolder()
  fs.symlinkSync(fileURLToPath(new URL('../../node_modules', import.meta.url)), path.join(cwd, 'node_modules'))
  for (const [name, source] of filesOf(page)) write(cwd, name, source)
  const commands = commandsOf(page)
  expect(commands).toHaveLength(6)
  for (const { line, says } of commands) {
    const { code, stdout } = await onceproofHere([...line.split(' ').slice(2), '--no-html', '--workers', '1'], { cwd })
    expect(inOrder(stdout, says), `${line}\n${stdout}`).toBeNull()
    expect(code, line).toBe(says.at(-1) === 'every verdict is as expected' ? 0 : 1)
  }
})

it('a page with another output is detected', () => {
  expect(inOrder('one\ntwo\n', ['one', 'two'])).toBeNull()
  expect(inOrder('one\ntwo\n', ['two', 'one'])).toBe('one')
})

function commandsOf(text: string): Command[] {
  const blocks = [...text.matchAll(/```console\n(.*?)```/gs)].map(([, block]) => block!.trimEnd())
  return blocks.flatMap((block) =>
    block.split(/^\$ /m).flatMap((command) => {
      const [line = '', ...says] = command.trimEnd().split('\n')
      return line === '' ? [] : [{ line, says }]
    }),
  )
}

/** A block that is only a `handle` stands for the first file with that `handle` and another id. */
function filesOf(text: string): [name: string, source: string][] {
  const blocks = [...text.matchAll(/```ts (\S+)\n(.*?)```/gs)].map(([, name, source]) => [name!, source!] as const)
  const [, frame] = blocks[0]!
  return blocks.map(([name, source]) => {
    if (source.includes('export default')) return [name, source]
    const handle = source.replace(/^(?=.)/gm, '      ')
    const id = path.basename(name, '.ts')
    return [name, frame.replace(/id: '.*'/, `id: '${id}'`).replace(/^ {6}async handle.*?^ {6}\},\n/ms, () => handle)]
  })
}

/** The first text that is missing in order; null if there is none. */
function inOrder(output: string, says: readonly string[]): string | null {
  let from = 0
  for (const said of says) {
    const at = output.indexOf(said, from)
    if (at === -1) return said
    from = at + said.length
  }
  return null
}
