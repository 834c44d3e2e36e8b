/**
 * `pnpm stories`: for the findings of some article patterns, the length of each story, the number
 * of its faults and the CPU time of shrinking. `--stories` also prints the stories. It fails if a
 * finding exceeds the aims.
 */

import { Command, InvalidArgumentError } from 'commander'
import { cheapestScenarios } from '../../src/cli/catalogue.ts'
import { explain } from '../../src/cli/commands/run.ts'
import { createDeps } from '../../src/cli/create-deps.ts'
import { pureScenarios, selectPairs } from '../../src/cli/select.ts'
import { exitCodes } from '../../src/contract/api/exit-codes.ts'
import { type MeasuredFinding, measureLayer } from './measure-layer.ts'
import { isOverAim, layerLines, summaryLines } from './summary-lines.ts'

interface Options {
  readonly impl: readonly string[]
  readonly scenario?: readonly string[]
  readonly seed: number
  readonly runs: number
  readonly stories: boolean
}

/** One pattern of each kind: marker, lock, owner token, transaction, record, lease, two phases. */
const patterns = [
  '000-decorator-lease',
  '000-lua-acquire',
  '001-get-set',
  '001-set-nx-delete',
  '002-owner-token',
  '002-watch-multi',
  '003-set-nx-in-progress',
  '004-two-phase-lock',
]
const besidesPure = ['crash-mid-logic', 'lost-reply']

const { impl, scenario, seed, runs, stories } = new Command('stories')
  .description('lines, faults and seconds of the findings of article patterns')
  .option('--impl <id...>', 'implementations by id, path or glob', patterns)
  .option(
    '--scenario <id...>',
    'scenarios by id, path or glob; without it, those with one kind of fault and two others',
  )
  .option('--seed <n>', 'the seed of the campaign', wholeNumber, 1)
  .option('--runs <n>', 'runs for each pair', wholeNumber, 12)
  .option('--stories', 'print the stories', false)
  .allowExcessArguments(false)
  .parse(process.argv.filter((argument) => argument !== '--'))
  .opts<Options>()

const deps = createDeps(() => false)
const scenarios = scenario ?? [...(await pureScenarios(deps)), ...besidesPure]
const measuring = { seed, runs, cheaper: await cheapestScenarios(deps), explain, deps }
const findings: MeasuredFinding[] = []
for (const layer of impl) {
  const choices = await selectPairs({ implementations: [layer], scenarios, sink: 'plain' }, [], deps)
  const found = await measureLayer(choices, measuring)
  findings.push(...found)
  process.stderr.write(`${layer}: ${found.length} findings\n`)
}
if (stories)
  for (const { layer, what, story } of findings) process.stdout.write(`${layer}, ${what}\n${story.join('\n')}\n\n`)
process.stdout.write(`${[...summaryLines(findings), '', ...layerLines(findings)].join('\n')}\n`)
process.exit(findings.some(isOverAim) ? exitCodes.unknown : exitCodes.ok)

function wholeNumber(text: string): number {
  const value = Number(text)
  if (!Number.isInteger(value) || value < 1) throw new InvalidArgumentError('a whole number from 1 on.')
  return value
}
