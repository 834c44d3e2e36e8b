import fs from 'node:fs'
import path from 'node:path'
import { expect, it } from 'vitest'
import type { ConfigurationSearchResults } from '../../src/contract/results/configuration-search.ts'
import { configurationSearchDocument } from '../../src/report/configuration-search-document.ts'
import { expectLinksThatLead } from '../report/page/links.ts'
import { temporaryFolder } from './run-cli.ts'
import { onceproofHere } from './run-here.ts'
import { breaksId } from './two-versions-project.ts'

it('`configurations` writes the verdict of each cell as JSON, a page and a document, and the token of a broken cell replays', async () => {
  const cwd = temporaryFolder()
  const table = ['--on', 'sentinel-wait-1', '--on', 'one-server', '--loss', 'cut-off', '--loss', 'all-data-lost']
  const quick = ['--impl', '001-get-set', '--runs', '20', '--workers', '1']
  const args = ['configurations', ...quick, ...table, '--json', '--write-docs', 'configurations.md']
  const { code, stdout } = await onceproofHere(args, { cwd })
  const { schemaVersion, configurations, losses, layers, control }: ConfigurationSearchResults = JSON.parse(stdout)
  expect(schemaVersion).toBe(1)
  expect(code).toBe(0)
  expect(configurations.map(({ id }) => id)).toEqual(['one-server', 'sentinel-wait-1'])
  expect(losses.map(({ id }) => id)).toEqual(['cut-off', 'all-data-lost'])
  const [layer] = layers
  expect(layer!.cells).toMatchObject([
    { configuration: 'one-server', loss: 'cut-off', verdict: 'n/a', reason: 'no replica to promote' },
    { configuration: 'one-server', loss: 'all-data-lost', verdict: 'breaks' },
  ])
  const broken = layer!.cells[1]!
  expect(broken.violation!.kind).toBe('repeat-after-loss:flush')
  expect(broken.violation!.replay).toMatch(/^npx onceproof replay /)
  expect(control!.verdict).toBe('violated')
  const page = fs.readFileSync(path.join(cwd, 'reports/latest/index.html'), 'utf8')
  for (const part of ['split brain', 'one server, keeps nothing', 'no replica to promote', '<h1>'])
    expect(page).toContain(part)
  expectLinksThatLead(page)
  const document = fs.readFileSync(path.join(cwd, 'reports/latest/configurations.json'), 'utf8')
  expect(JSON.parse(document)).toEqual(JSON.parse(stdout))
  const results: ConfigurationSearchResults = JSON.parse(stdout)
  expect(fs.readFileSync(path.join(cwd, 'configurations.md'), 'utf8')).toBe(configurationSearchDocument(results))
  const both = { ...results, layers: [{ ...layer!, implementation: breaksId }] }
  expect(configurationSearchDocument(both)).toContain(
    'configurations --impl marker-before-plain-sink --with-next marker-version-two --write-docs',
  )
  const again = await onceproofHere(['replay', broken.violation!.token!], { cwd })
  expect(again.code).toBe(1)
})

it('run plays a cell of a configuration search by name', async () => {
  const name = 'frontier/one-server/all-data-lost'
  const cell = ['--impl', '001-get-set', '--scenario', name, '--runs', '60', '--bail', '--workers', '1', '--no-html']
  const { code, stdout } = await onceproofHere(['run', ...cell])
  expect(code).toBe(1)
  expect(stdout).toContain(`001-get-set × ${name}`)
})
