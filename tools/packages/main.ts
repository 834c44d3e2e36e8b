/**
 * `pnpm packages <folder...>`: loads each package that a folder's package.json depends on, in real
 * Node and in a simulated process, and lists what the package read and used in the simulated
 * process.
 */
import { spawn, spawnSync } from 'node:child_process'
import fs from 'node:fs'
import path from 'node:path'
import { createInterface } from 'node:readline'
import { fileURLToPath } from 'node:url'
import { Command } from 'commander'
import { exitCodes } from '../../src/contract/api/exit-codes.ts'
import { type Listed, type Loaded, listFile, outcomeOf, textOf } from './list.ts'

const command = new Command('packages')
  .description('loads packages in a simulated process and lists what each asks for')
  .argument('<folder...>', 'folders of installed packages')
  .option('--write', 'keeps the list in tools/packages/packages.tsv')
  .allowExcessArguments(false)
  .parse(process.argv.filter((argument) => argument !== '--'))

const script = fileURLToPath(new URL('load-some.ts', import.meta.url))

/** If a package takes longer than this to load, it is skipped, and the next package is loaded. */
const patienceMs = 300_000

async function loadAll(folder: string, names: readonly string[]): Promise<Map<string, Loaded>> {
  const found = new Map<string, Loaded>()
  while (found.size < names.length) {
    const left = names.filter((name) => !found.has(name))
    await loadSome(folder, left, found)
    if (found.size === names.length - left.length)
      found.set(left[0]!, { error: 'the process ends or hangs', refused: [], probed: [] })
  }
  return found
}

async function loadSome(folder: string, names: readonly string[], found: Map<string, Loaded>): Promise<void> {
  const child = spawn(process.execPath, ['--import', 'tsx', script, folder, ...names], {
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  const giveUp = () => child.kill('SIGKILL')
  let waiting = setTimeout(giveUp, patienceMs)
  for await (const line of createInterface({ input: child.stdout })) {
    if (!line.startsWith('{"name"')) continue
    const { name, ...loaded } = JSON.parse(line) as Loaded & { name: string }
    found.set(name, loaded)
    clearTimeout(waiting)
    waiting = setTimeout(giveUp, patienceMs)
  }
  clearTimeout(waiting)
  if (child.exitCode === 1) throw new Error(`${path.basename(script)} failed`)
}

function loadsInNode(folder: string, name: string): boolean {
  const code = `await import(${JSON.stringify(name)}); process.exit(0)`
  const { status } = spawnSync(process.execPath, ['--input-type=module', '-e', code], {
    cwd: folder,
    env: { ...process.env, NODE_ENV: 'production' },
    stdio: 'ignore',
    timeout: patienceMs,
  })
  return status === 0
}

const listed = new Map<string, Listed>()
for (const given of command.args) {
  const folder = fs.realpathSync(given)
  const { dependencies = {} } = JSON.parse(fs.readFileSync(path.join(folder, 'package.json'), 'utf8'))
  const names = Object.keys(dependencies)
  const loaded = await loadAll(folder, names)
  for (const bare of names) {
    const manifest = path.join(folder, 'node_modules', bare, 'package.json')
    const { version } = JSON.parse(fs.readFileSync(manifest, 'utf8')) as { version: string }
    const one = loaded.get(bare)!
    const name = `${bare}@${version}`
    // Makes file names in an error relative.
    const here = `${path.relative(process.cwd(), folder)}/`
    const outcome = outcomeOf(one, one.error === null || loadsInNode(folder, bare)).replaceAll(here, '')
    listed.set(name, { name, outcome, probed: one.probed })
  }
}
const list = [...listed.values()]
if (command.opts<{ write?: boolean }>().write) fs.writeFileSync(listFile, textOf(list))
else process.stdout.write(textOf(list))
const counts: Record<string, number> = {}
for (const { outcome } of list) {
  const kind = outcome.split(':', 1)[0]!
  counts[kind] = (counts[kind] ?? 0) + 1
}
process.stderr.write(`${JSON.stringify(counts)}\n`)
process.exitCode = exitCodes.ok
