/** Refusals that need a process, a socket or a wait. */
import { expect, it } from 'vitest'
import { temporaryFolder, write } from './run-cli.ts'
import { onceproofHere } from './run-here.ts'

const refusals: readonly [readonly string[], RegExp][] = [
  [['--redis', '/bin/true'], /^onceproof: --redis \/bin\/true: prints no version of Redis; .*\n$/],
  [['--redis', '127.0.0.1:1'], /^onceproof: --redis 127\.0\.0\.1:1: .*ECONNREFUSED.*\n$/],
  [['--fleet', 'redis://127.0.0.1:1'], /^onceproof: --fleet redis:\S+: it does not answer \(ECONNREFUSED\); .*\n$/],
  // Scenarios whose only plan for live runs belongs to another run are skipped.
  [['live', '--run', '140', '--with', 'redis://127.0.0.1:1'], /^onceproof: redis:\S+: unreachable.*\n$/],
  [
    ['--scenario', './waits.mjs', '--quiet'],
    /^onceproof: waits\.mjs: not loaded after 10 s; look for a top-level `await` that never ends\n$/,
  ],
]
it.each(refusals)('refuses %j', async (args, line) => {
  const cwd = temporaryFolder()
  write(cwd, 'waits.mjs', 'await new Promise(() => {})\n')
  const { code, stdout, stderr } = await onceproofHere(args, { cwd, servers: true })
  expect(stderr).toMatch(line)
  expect({ code, stdout }).toEqual({ code: 2, stdout: '' })
})
