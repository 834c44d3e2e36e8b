import fs from 'node:fs'
import { describe, expect, it } from 'vitest'
import { parse } from 'yaml'
import { commandLine } from '../../src/cli/command-line.ts'
import type { Output } from '../../src/cli/output.ts'

const page = fs.readFileSync('docs/guide/ci.md', 'utf8')
const workflows = [...page.matchAll(/```yaml\n([\s\S]*?)```/g)].map(([, text]) => text!)

/** Options on the page that the command line does not have, like `merge --nothing`. */
function unknownOptions(text: string): string[] {
  const { commands } = commandLine({} as Output, () => {})
  return [...text.matchAll(/npx onceproof (\w+)([^\n`]*)/g)].flatMap(([, name, rest]) => {
    const command = commands.find((one) => one.name() === name)
    const known = command?.options.map(({ long }) => long) ?? []
    const used = rest!.match(/--[\w-]+/g) ?? []
    return command === undefined ? [name!] : used.filter((one) => !known.includes(one)).map((one) => `${name} ${one}`)
  })
}

describe('the page on continuous integration', () => {
  it('has workflows in valid YAML, with the steps of a job', () => {
    const [github, gitlab] = workflows.map((text) => parse(text))
    expect(github.jobs.onceproof.steps.map(({ run, uses }: { run?: string; uses?: string }) => run ?? uses)).toContain(
      'npx onceproof run --junit reports/junit.xml --sarif reports/onceproof.sarif',
    )
    expect(gitlab.onceproof.artifacts.reports.junit).toBe('reports/junit.xml')
  })

  it('uses only existing commands and options', () => {
    expect(page.match(/npx onceproof/g)!.length).toBeGreaterThan(3)
    expect(unknownOptions(page)).toEqual([])
    expect(unknownOptions('npx onceproof run --jnuit x\nnpx onceproof rnu')).toEqual(['run --jnuit', 'rnu'])
  })
})
