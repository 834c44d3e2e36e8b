import fs from 'node:fs'
import path from 'node:path'
import { describe, expect, it } from 'vitest'
import type { FrontierResults } from '../../src/contract/frontier.ts'
import { expectLinksThatLead } from '../report/page/links.ts'
import { temporaryFolder } from './run-cli.ts'
import { refusal } from './run-here.ts'
import { inTurn } from './run-in-turn.ts'

describe('frontier', () => {
  it('gives a table of cells with runs and goals or a token, as JSON and as a page', async () => {
    const cwd = temporaryFolder()
    const table = ['--on', 'sentinel-wait-1', '--on', 'one-server', '--loss', 'cut-off', '--loss', 'all-data-lost']
    const args = ['frontier', '--impl', '001-get-set', '--runs', '20', '--workers', '1', '--json', ...table]
    const { code, stdout } = await inTurn(args, { cwd })
    const { schemaVersion, configurations, losses, layers, control }: FrontierResults = JSON.parse(stdout)
    expect(schemaVersion).toBe(1)
    expect(code).toBe(0)
    expect(configurations.map(({ id }) => id)).toEqual(['one-server', 'sentinel-wait-1'])
    expect(losses.map(({ id }) => id)).toEqual(['cut-off', 'all-data-lost'])
    const [layer] = layers
    expect(layer!.cells).toMatchObject([
      { configuration: 'one-server', loss: 'cut-off', verdict: 'n/a', reason: 'there is no replica to promote' },
      { configuration: 'one-server', loss: 'all-data-lost', verdict: 'breaks' },
    ])
    const broken = layer!.cells[1]!
    expect(broken.violation!.kind).toBe('repeat-after-loss:flush')
    expect(broken.violation!.replay).toMatch(/^npx onceproof replay /)
    expect(control!.verdict).toBe('violated')
    const page = fs.readFileSync(path.join(cwd, 'reports/latest/index.html'), 'utf8')
    for (const part of ['split brain', 'one server, keeps nothing', 'there is no replica to promote', '<h1>'])
      expect(page).toContain(part)
    expectLinksThatLead(page)
    expect(JSON.parse(fs.readFileSync(path.join(cwd, 'reports/latest/frontier.json'), 'utf8'))).toEqual(
      JSON.parse(stdout),
    )
    const again = await inTurn(['replay', broken.violation!.token!], { cwd })
    expect(again.code).toBe(1)
  })

  it('makes scenarios of its cells, which other commands take by name', async () => {
    const name = 'frontier/one-server/all-data-lost'
    const cell = ['--impl', '001-get-set', '--scenario', name, '--runs', '60', '--bail', '--workers', '1', '--no-html']
    const { code, stdout } = await inTurn(['run', ...cell])
    expect(code).toBe(1)
    expect(stdout).toContain(`001-get-set × ${name}`)
  })

  const mistakes: readonly [string, readonly string[], RegExp][] = [
    ['implementation', ['--impl', 'referense'], /^onceproof: implementation referense: .*did you mean reference\?$/m],
    ['path', ['--impl', './gone.ts'], /^onceproof: \.\/gone\.ts: there is no such file; /m],
    ['runs', ['--runs', '0'], /^onceproof: --runs 0: give an integer from 1 /m],
    ['sink', ['--impl', '001-get-set', '--sink', 'fenced'], /^onceproof: --sink fenced: 001-get-set says that it can/m],
    ['row', ['--on', 'sentinal'], /^onceproof: --on sentinal: did you mean sentinel\?$/m],
    [
      'shape',
      ['--impl', '001-get-set', '--on', 'cluster'],
      /^onceproof: --on: choose a Redis that the layer can use: /m,
    ],
    ['column', ['--loss', 'killed'], /^onceproof: --loss killed: /m],
    ['scenario', ['--scenario', 'x'], /^onceproof: option --scenario: /m],
    [
      'page',
      ['--write-docs', 'nowhere/frontier.md'],
      /^onceproof: --write-docs nowhere\/frontier\.md: nothing can be/m,
    ],
    ['reports', ['--reports', '/dev/null'], /^onceproof: --reports \/dev\/null: nothing can be written there /m],
  ]
  it.each(mistakes)('a mistaken %s is one line, and exit code 2', async (_, args, line) => {
    const { code, stderr } = await refusal(['frontier', ...args])
    expect(stderr).toMatch(line)
    expect(stderr.trimEnd().split('\n')).toHaveLength(1)
    expect(code).toBe(2)
  })

  it('a cell that there is not is named, with the nearest', async () => {
    const { code, stderr } = await refusal(['run', '--scenario', 'frontier/one-server/all-data-lst'])
    expect(stderr).toMatch(
      /^onceproof: scenario frontier\/one-server\/all-data-lst: did you mean frontier\/one-server\//,
    )
    expect(code).toBe(2)
  })
})
