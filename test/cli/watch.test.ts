import path from 'node:path'
import { expect, it } from 'vitest'
import type { RunOptions } from '../../src/cli/commands/run.ts'
import { rootsOf } from '../../src/cli/commands/watch.ts'
import { temporaryFolder, write } from './run-cli.ts'

it('--watch watches the files of layers and scenarios, the scripts of a program, and the config', async () => {
  const before = process.cwd()
  const cwd = temporaryFolder()
  for (const name of ['mine.ts', 'next.ts', 'layer.py', 'onceproof.config.ts']) write(cwd, name, '')
  process.chdir(cwd)
  try {
    const impl = [{ from: './mine.ts', next: './next.ts' }, 'exec:python3 layer.py --fast']
    const options = { impl, scenario: [], config: true } as unknown as RunOptions
    const roots = await rootsOf(options)
    expect(roots.map((file) => path.relative(process.cwd(), file))).toEqual([
      'mine.ts',
      'next.ts',
      'layer.py',
      'onceproof.config.ts',
    ])
    const without = await rootsOf({ ...options, config: false })
    expect(without.map((file) => path.basename(file))).not.toContain('onceproof.config.ts')
  } finally {
    process.chdir(before)
  }
})
