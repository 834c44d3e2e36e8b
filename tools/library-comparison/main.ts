/**
 * `pnpm library-comparison`: plays each library of implementations/third-party for each question,
 * with the `matrix` command, which judges any layer. `--write` writes
 * docs/findings/library-comparison.md.
 */
import { spawnSync } from 'node:child_process'
import fs from 'node:fs'
import path from 'node:path'
import { Command, InvalidArgumentError } from 'commander'
import { packageFolder } from '../../src/cli/catalogue.ts'
import type { Results } from '../../src/contract/results/results.ts'
import { printedBy } from '../printed-by.ts'
import { questions } from './asked.ts'
import { comparisonPage } from './comparison-page.ts'
import { allFacts, type LibraryFacts } from './library-facts.ts'
import { whyItBroke } from './why-it-broke.ts'

interface Options {
  readonly runs: number
  readonly seed: number
  readonly keep?: string
  readonly write: boolean
}

const options = new Command('library-comparison')
  .description('what libraries do when one thing goes wrong')
  .option('--runs <n>', 'runs for each library and scenario', wholeNumber, 100)
  .option('--seed <n>', 'the seed of all of them', wholeNumber, 1)
  .option('--keep <folder>', 'the folder with the results of each library; libraries in it are not played again')
  .option('--write', 'put the page into docs/findings/library-comparison.md, and print nothing', false)
  .allowExcessArguments(false)
  .parse(process.argv.filter((argument) => argument !== '--'))
  .opts<Options>()

const facts = allFacts()
const pairs = facts.flatMap((library) => played(library, options).pairs)
const page = comparisonPage(facts, { pairs, seed: options.seed }, options.runs, whyItBroke)
if (options.write) fs.writeFileSync(path.join(packageFolder, 'docs', 'findings', 'library-comparison.md'), page)
else process.stdout.write(page)

/**
 * Plays one library at a time, because a campaign of all libraries would print nothing until its
 * end.
 */
function played({ id, impl, packages }: LibraryFacts, { runs, seed, keep }: Options): Results {
  const kept = keep === undefined ? null : path.join(keep, `${id}.json`)
  if (kept !== null && fs.existsSync(kept)) return JSON.parse(fs.readFileSync(kept, 'utf8'))
  const scenarios = Object.values(questions).flatMap((scenario) => ['--scenario', scenario])
  if (impl !== id) needPython(packages)
  const asked = ['--steps', '--impl', impl, ...scenarios, '--runs', String(runs), '--seed', String(seed)]
  const { json, text } = printedBy(['matrix', ...asked, '--json', '--no-html'])
  const results = json as Results & { error?: { culprit: string; remedy: string } }
  if (results.error !== undefined) throw new Error(`${results.error.culprit}: ${results.error.remedy}`)
  if (results.interrupted) throw new Error(`${id} was interrupted`)
  if (kept !== null) {
    fs.mkdirSync(path.dirname(kept), { recursive: true })
    fs.writeFileSync(kept, text)
  }
  return results
}

/** Checks that this machine's `python3` has the version that the header names. */
function needPython(packages: readonly string[]): void {
  for (const named of packages) {
    const [, module, version] = /^python3-([\w-]+) ([\d.]+)$/.exec(named)!
    const { stdout } = spawnSync('python3', ['-c', `import ${module}; print(${module}.__version__)`], {
      encoding: 'utf8',
    })
    const there = stdout.trim() || 'none'
    if (there !== version)
      throw new Error(`${named} is required, but python3 has ${there}: put another python3 first on the path`)
  }
}

function wholeNumber(text: string): number {
  const value = Number(text)
  if (!Number.isInteger(value) || value < 1) throw new InvalidArgumentError('a whole number from 1')
  return value
}
