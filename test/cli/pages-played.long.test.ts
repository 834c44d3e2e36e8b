import fs from 'node:fs'
import path from 'node:path'
import { fileURLToPath } from 'node:url'
import { expect, it } from 'vitest'
import { temporaryFolder, write } from './run-cli.ts'
import { onceproofHere } from './run-here.ts'

interface NamedFile {
  readonly file: string
  readonly source: string
}

interface Command {
  readonly line: string
  /** The expected output, in order. */
  readonly says: readonly string[]
}

it.each([
  ['start/tutorial.md', 6],
  ['guide/http.md', 2],
])('each file and each command of docs/%s has the described result', async (page, count) => {
  const cwd = temporaryFolder()
  fs.symlinkSync(fileURLToPath(new URL('../../node_modules', import.meta.url)), path.join(cwd, 'node_modules'))
  const steps = stepsOf(fs.readFileSync(new URL(`../../docs/${page}`, import.meta.url), 'utf8'))
  expect(steps.filter((step) => 'line' in step)).toHaveLength(count)
  for (const step of steps) {
    if ('file' in step) {
      write(cwd, step.file, step.source)
      continue
    }
    const { line, says } = step
    const { code, stdout } = await onceproofHere([...line.split(' ').slice(2), '--no-html', '--workers', '1'], { cwd })
    expect(inOrder(stdout, says), `${line}\n${stdout}`).toBeNull()
    expect(code, line).toBe(says.at(-1) === 'every verdict is as expected' ? 0 : 1)
  }
})

it('a page with another output is detected', () => {
  expect(inOrder('one\ntwo\n', ['one', 'two'])).toBeNull()
  expect(inOrder('one\ntwo\n', ['two', 'one'])).toBe('one')
})

/** The files and the commands of a page, in its order. A later file replaces one with its name. */
function stepsOf(text: string): readonly (NamedFile | Command)[] {
  const blocks = [...text.matchAll(/```(?:ts (\S+)|console)\n(.*?)```/gs)]
  const frame = blocks[0]![2]!
  return blocks.flatMap(([, file, content]): (NamedFile | Command)[] =>
    file ? [fileOf(file, content!, frame)] : commandsOf(content!),
  )
}

function commandsOf(block: string): Command[] {
  return block.split(/^\$ /m).flatMap((command) => {
    const [line = '', ...says] = command.trimEnd().split('\n')
    return line === '' ? [] : [{ line, says }]
  })
}

/** A block that is only a `handle` stands for the first file with that `handle` and another id. */
function fileOf(file: string, source: string, frame: string): NamedFile {
  if (!/^async handle/m.test(source) || /^export /m.test(source)) return { file, source }
  const handle = source.replace(/^(?=.)/gm, '      ')
  const id = path.basename(file, '.ts')
  const named = frame.replace(/id: '.*'/, `id: '${id}'`)
  return { file, source: named.replace(/^ {6}async handle.*?^ {6}\},\n/ms, () => handle) }
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
