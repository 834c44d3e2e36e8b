/**
 * The measured parts of docs/findings/instead.md: runs from docs/findings/patterns.md, and current
 * prices.
 */
import fs from 'node:fs'
import path from 'node:path'
import { packageFolder } from '../../src/cli/catalogue.ts'
import { readPatterns } from '../../src/cli/patterns.ts'
import type { Pattern } from '../../src/report/patterns-page.ts'
import { type Measured, referenceSinks } from './instead-page.ts'
import { remedies } from './remedies.ts'
import { type Price, priceOf } from './round-trips.ts'

export async function measured(): Promise<Measured> {
  const patterns = readPatterns()
  const prices = new Map<string, Price>()
  for (const { adapters } of patterns) prices.set(adapters[0]!, await priceOf(adapters[0]!, 'plain'))
  for (const { twin, sink } of remedies) prices.set(twin, await priceOf(twin, sink))
  for (const sink of referenceSinks) prices.set(`reference ${sink}`, await priceOf('reference', sink))
  return { patterns, smallest: smallestRuns(patterns), prices }
}

/**
 * Reads the smallest failing run of each pattern.
 * @throws Error if docs/findings/patterns.md has no run of a pattern
 */
function smallestRuns(patterns: readonly Pattern[]): Measured['smallest'] {
  const page = fs.readFileSync(path.join(packageFolder, 'docs', 'findings', 'patterns.md'), 'utf8')
  return new Map(
    patterns.map(({ article, name, adapters }) => {
      const [, section] = page.split(`\n## ${article}: ${name}\n`)
      const [own = ''] = (section ?? '').split('\n## ')
      const [, sentence] = /^\*\*What breaks it\.\*\* (.+?)\. That is `/m.exec(own) ?? []
      const [replay] = /^pnpm sim replay \S+$/m.exec(own) ?? []
      if (sentence === undefined || replay === undefined)
        throw new Error(`docs/findings/patterns.md shows no run of "${article}: ${name}"`)
      return [adapters[0]!, { sentence, replay }]
    }),
  )
}
