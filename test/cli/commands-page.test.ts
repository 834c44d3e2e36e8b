import fs from 'node:fs'
import { usualPrograms } from 'test-servers'
import { afterEach, describe, expect, it, vi } from 'vitest'
import { commandLine } from '../../src/cli/command-line.ts'
import { commands, type OptionSpec, optionGroups } from '../../src/cli/command-table.ts'
import type { Output } from '../../src/cli/output.ts'
import { withTables } from '../../tools/commands.ts'

const page = fs.readFileSync('docs/reference/commands.md', 'utf8')

describe('docs/reference/commands.md', () => {
  it('equals the output of `pnpm commands --write`', () => {
    expect(withTables(page)).toBe(page)
  })

  it('gets its tables restored, and needs their placeholders', () => {
    expect(
      withTables(page.replace('stop at the first violation', 'go on').replace('`replay [token', '`play [token')),
    ).toBe(page)
    expect(() => withTables(page.replace('<!-- options', '<!-- choices'))).toThrow('the page has no <!-- options: ')
  })
})

describe('the options', () => {
  afterEach(() => vi.unstubAllEnvs())
  const all = Object.values(commands).flatMap(({ options }) => Object.values<OptionSpec>(options))

  it('show defaults that are valid', () => {
    const parsed = all.filter((spec) => spec.read !== undefined && spec.default !== undefined)
    expect(parsed.length).toBeGreaterThan(10)
    for (const { read, default: value, defaultText = String(value) } of parsed)
      expect(read!(defaultText, '--x')).toBe(value)
    vi.stubEnv('POSTGRES_PROGRAMS', '')
    expect(optionGroups['Real servers']!.postgresPrograms!.defaultText).toBe(
      `$POSTGRES_PROGRAMS, else ${usualPrograms()}`,
    )
  })

  it('fit into lines of 90 characters on any terminal', () => {
    const { columns } = process.stdout
    process.stdout.columns = 300
    try {
      for (const command of commandLine({} as Output, () => {}).commands)
        for (const line of command.helpInformation().split('\n')) expect(line.length).toBeLessThanOrEqual(90)
    } finally {
      process.stdout.columns = columns
    }
  })
})
