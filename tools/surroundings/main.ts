/**
 * `pnpm surroundings`: plays the same campaign in other time zones, locales, folders and heap
 * sizes, on a busy machine, and with other versions of Node. All digests must be equal. Plays the
 * reference, and a layer that inspects its whole environment.
 */

import { type ChildProcess, spawn } from 'node:child_process'
import fs from 'node:fs'
import path from 'node:path'
import { fileURLToPath } from 'node:url'
import { Command } from 'commander'
import { exitCodes } from '../../src/contract/api/exit-codes.ts'
import type { PairResult, Results } from '../../src/contract/results/results.ts'
import { folderWith, type Place, places } from './places.ts'

interface Options {
  readonly runs: string
  readonly seed: string
  readonly scenario: readonly string[]
  readonly node: readonly string[]
}

const options = new Command('surroundings')
  .description('the digests of one campaign in several surroundings')
  .option('--runs <n>', 'runs of each pair', '30')
  .option('--seed <n>', 'seed of the campaign', '1')
  .option('--scenario <id...>', 'scenarios', ['competing-consumers', 'crash-mid-logic', 'redis-failover'])
  .option('--node <binary...>', 'other versions of Node', [])
  .allowExcessArguments(false)
  .parse(process.argv.filter((argument) => argument !== '--'))
  .opts<Options>()

const packageFolder = fileURLToPath(new URL('../../', import.meta.url))
const nosy = fileURLToPath(new URL('nosy.ts', import.meta.url))

/** The parts of a result that must be equal: each pair's digest and verdict. */
const lineOf = ({ implementation, scenario, sink, runs, digest, verdict }: PairResult) =>
  `${implementation} × ${scenario} × ${sink}: ${runs} runs, ${digest}, ${verdict}`

function play({ node, flags, env, workers, busy }: Place): Promise<string[]> {
  const folder = folderWith(nosy, path.join(packageFolder, 'node_modules'))
  const load: ChildProcess[] = Array.from({ length: busy }, () => spawn(process.execPath, ['-e', 'for(;;);']))
  const { runs, seed, scenario } = options
  const scenarios = scenario.flatMap((id) => ['--scenario', id])
  const layers = ['--impl', './nosy.ts', '--impl', 'reference']
  const own = [
    '--runs',
    runs,
    '--seed',
    seed,
    '--workers',
    String(workers),
    '--json',
    '--no-html',
    '--reports',
    'reports',
  ]
  const args = [...flags, path.join(packageFolder, 'bin/onceproof.mjs'), ...layers, ...scenarios, ...own]
  const child = spawn(node, args, {
    cwd: folder,
    env: { ...process.env, ...env },
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  let text = ''
  child.stdout.on('data', (chunk) => (text += chunk))
  return new Promise((resolve, reject) => {
    child.on('error', reject)
    child.on('close', () => {
      for (const one of load) one.kill()
      fs.rmSync(folder, { recursive: true })
      const { pairs, error } = JSON.parse(text) as Results & { error?: { culprit: string; remedy: string } }
      if (error === undefined) resolve(pairs.map(lineOf))
      else reject(new Error(`${error.culprit}: ${error.remedy}`))
    })
  })
}

let expected: readonly string[] | null = null
let differing = 0
for (const place of places(options.node)) {
  const lines = await play(place)
  expected ??= lines
  const others = lines.filter((line, at) => line !== expected![at])
  differing += others.length
  process.stdout.write(`${place.name}: ${others.length === 0 ? 'equal' : `differs:\n  ${others.join('\n  ')}`}\n`)
}
process.stdout.write(`${expected!.join('\n')}\n`)
process.exitCode = differing === 0 ? exitCodes.ok : exitCodes.harness
