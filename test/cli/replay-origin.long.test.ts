/** What `replay` prints about the origin of a run, and about the next step if the run diverges. */
import fs from 'node:fs'
import path from 'node:path'
import { expect, it } from 'vitest'
import { decodeToken, encodeToken } from '../../src/campaign/token/token.ts'
import type { Results } from '../../src/contract/results/results.ts'
import { temporaryFolder } from './run-cli.ts'
import { onceproofHere } from './run-here.ts'

const cwd = temporaryFolder()
const impl = ['--impl', '001-get-set']
const [crashes, copies] = ['only-crashes', 'competing-consumers']
const campaign = [...impl, '--scenario', crashes!, '--scenario', copies!, '--runs', '4', '--no-html', '--quiet']
const folder = ['--reports', 'elsewhere']
const file = path.join(cwd, 'elsewhere/latest/results.json')
const replay = async (...args: string[]) => {
  const { stdout } = await onceproofHere(['replay', ...args], { cwd })
  const lines = stdout.trim().split('\n')
  return { head: lines[0]!, last: lines.at(-1)! }
}

it('names the drawn run, its scenario, and what to play after a change of the layer', async () => {
  await onceproofHere([...campaign, ...folder], { cwd })
  const results: Results = JSON.parse(fs.readFileSync(file, 'utf8'))
  const moved = results.findings.find(({ drawnIn }) => drawnIn !== undefined)!
  expect(moved).toMatchObject({ scenario: copies, drawnIn: crashes, seenIn: [{ scenario: crashes }] })
  const { rootCause, run, token } = moved

  const { head } = await replay(rootCause, ...folder)
  expect(head).toBe(`001-get-set under ${copies}, plain sink: shrunk from run ${run} of ${crashes}, seed 1`)
  const ofToken = await replay(token!)
  expect(ofToken.head).toBe(
    `001-get-set under ${copies}, plain sink: made from run ${run} of seed 1, of this scenario or a more expensive one`,
  )
  expect(ofToken.last).toMatch(/^followed: all \d+ steps$/)

  const asDrawn = await replay('--seed', '1', '--run', '0', ...impl, '--scenario', copies!)
  expect(asDrawn.head).toBe(`001-get-set under ${copies}, plain sink: seed 1, run 0`)
  const drawn = results.pairs.find(({ scenario }) => scenario === copies)!.violations[0]!
  expect((await replay(drawn.token!)).head).toBe(`001-get-set under ${copies}, plain sink: seed 1, run ${drawn.run}`)

  const decoded = decodeToken(token!)
  if (!decoded.ok) throw new Error(decoded.problem)
  const diverging = encodeToken({ ...decoded.run, digest: 'other' })!
  fs.writeFileSync(file, fs.readFileSync(file, 'utf8').replaceAll(token!, diverging))
  expect((await replay(rootCause, ...folder)).last).toMatch(
    /^next: .+ --impl 001-get-set --last-failed --reports elsewhere$/,
  )
  expect((await replay(diverging)).last).toMatch(/^next: .+ --impl 001-get-set --scenario competing-consumers$/)
})
