import fs from 'node:fs'
import { describe, expect, it } from 'vitest'
import { cellNames } from '../../src/campaign/made/cell-scenario.ts'
import { decodeToken } from '../../src/campaign/token/token.ts'
import { catalogue, packageFolder } from '../../src/cli/catalogue.ts'
import { claims, type Played } from '../../tools/claims/claims.ts'
import { claimsPage, nameOf, type Reported } from '../../tools/claims/claims-page.ts'
import { items } from '../../tools/claims/items.ts'
import { runs } from '../../tools/claims/play-evidence.ts'
import { follows, Version } from '../../tools/tokens/version.ts'
import { firstBreak } from '../implementations/played.ts'

const page = fs.readFileSync(`${packageFolder}docs/findings/claims.md`, 'utf8')
const all = claims.flatMap((claim) => claim.evidence)
const evidence = all.filter((one) => 'layer' in one)
const tests = all.filter((one) => 'test' in one)
const ids = new Set([...catalogue('implementation'), ...catalogue('scenario')].map(({ id }) => id).concat(cellNames()))

/** The page’s text on an evidence. @throws if there is none */
function reportedOnPage(one: Played): Reported {
  const places = page.split(`- ${nameOf(one)}: `).slice(1)
  const text = places.find((place) => place.startsWith('holds in ') !== one.breaks) ?? ''
  if (text.startsWith('holds in ')) return { runs }
  const [, way, why, replay] = /^([\w-]+ \([\w:-]+\)): (.+)\.\n\n {2}```\n {2}(pnpm sim replay \S+)\n/.exec(text) ?? []
  if (way === undefined) throw new Error(`docs/findings/claims.md does not tell ${nameOf(one)}`)
  return { way, why: why!, replay: replay! }
}

const named = evidence.map((one) => ({ one, name: nameOf(one) }))
const [refuting, holding] = [named.filter(({ one }) => one.breaks), named.filter(({ one }) => !one.breaks)]
const opened = Version.open(packageFolder)

describe('docs/findings/claims.md', () => {
  it('equals the output of `pnpm claims --write` for its own results', () => {
    expect(claimsPage(claims, items, reportedOnPage)).toBe(page)
    expect(claimsPage(claims, items, () => ({ runs: 1 }))).not.toBe(page)
  })

  it('uses layers and scenarios of the catalogue', () => {
    for (const { layer, scenario } of evidence) expect([layer, scenario].filter((id) => !ids.has(id))).toEqual([])
  })

  it('has evidence for each claim except the unjudged ones', () => {
    for (const { verdict, evidence, says } of claims) expect(evidence.length > 0, says).toBe(verdict !== 'not judged')
  })

  it('refutes a claim only by a run that breaks or by a test', () => {
    for (const { verdict, evidence, says } of claims)
      if (verdict === 'refuted')
        expect(
          evidence.some((one) => 'test' in one || one.breaks),
          says,
        ).toBe(true)
  })

  it('has for each assumption a run that holds under it, or a test', () => {
    for (const { verdict, evidence, says } of claims)
      if (verdict === 'true, assuming')
        expect(
          evidence.some((one) => 'test' in one || !one.breaks),
          says,
        ).toBe(true)
  })

  it.each(tests)('names an existing test: $named', ({ test, named }) => {
    expect(fs.readFileSync(`${packageFolder}${test}`, 'utf8')).toContain(`'${named}'`)
  })

  it('has the 67 items', () => expect(items).toHaveLength(67))

  it.each(refuting)('has a token that breaks as described: $name', async ({ one, name }) => {
    const version = await opened
    const reported = reportedOnPage(one)
    if ('runs' in reported) throw new Error(`${name} holds`)
    const decoded = decodeToken(reported.replay.split(' ').at(-1)!)
    if (!decoded.ok) throw new Error(`${name}: it has no token`)
    expect(decoded.run).toMatchObject({ implementation: one.layer, sink: one.sink })
    const played = await version.play((await version.pairOf(decoded.run))!, decoded.run)
    expect(follows(played, decoded.run)).toBe(true)
    expect(played.ways).toContain(reported.way.replace(/[()]/g, ''))
  })

  // Only the first runs: all 250 of each take minutes, and are played when the page is written.
  it.each(holding)('has a layer that holds as described: $name', async ({ one }) => {
    expect(await firstBreak({ sink: 'plain', ...one, runs: 20 })).toBeNull()
  })

  it('would not have a layer that breaks among those that hold', async () => {
    expect(
      await firstBreak({ layer: '000-set-nx-marker', scenario: 'only-crashes', sink: 'plain', runs: 20 }),
    ).not.toBeNull()
  })
})
