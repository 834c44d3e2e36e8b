import fs from 'node:fs'
import path from 'node:path'
import { describe, expect, it } from 'vitest'
import type { Results } from '../../src/contract/results.ts'
import { findPostgres } from '../../src/fidelity/postgres/process.ts'
import { findProgram } from '../../src/fidelity/redis-process.ts'
import { onceproof, temporaryFolder } from './run-cli.ts'
import { inTurn } from './run-in-turn.ts'

const runs = ['--impl', '001-get-set', '--scenario', 'lost-reply', '--runs', '60', '--bail']
const campaign = [...runs, '--workers', '1', '--no-html']
const missing = findProgram('redis-server') === undefined

/** A folder with nothing on the path but Node. */
function pathWithoutRedis(): string {
  const folder = temporaryFolder()
  fs.symlinkSync(process.execPath, path.join(folder, 'node'))
  return folder
}

describe("a campaign's crosscheck", () => {
  it.skipIf(missing)('changes nothing but the timings, whether there is a redis-server or not', async () => {
    const [withRedis, without] = await Promise.all([
      inTurn([...campaign, '--json']),
      onceproof([...campaign, '--json'], { env: { PATH: pathWithoutRedis() } }),
    ])
    const [a, b]: Results[] = [JSON.parse(withRedis!.stdout), JSON.parse(without!.stdout)]
    expect(a!.timings.crosscheck).toMatchObject({ verdict: 'agrees', runs: expect.any(Number) })
    expect(b!.timings.crosscheck).toMatchObject({
      verdict: 'skipped',
      reason: expect.stringContaining('no redis-server found'),
    })
    expect({ ...a, timings: null }).toEqual({ ...b, timings: null })
    expect(withRedis!.stderr).toMatch(/^model agrees on \d+ commands of \d+ runs/m)
    expect(without!.stderr).toMatch(/^the model was not compared with a real Redis in this campaign: no redis-server/m)
  })

  it.skipIf(missing)('compares as much where workers play its runs as where this thread does', async () => {
    const some = ['--scenario', 'lost-reply', '--scenario', 'key-reuse', '--runs', '1', '--no-html', '--json']
    const [one, two] = await Promise.all([inTurn([...some, '--workers', '1']), onceproof([...some, '--workers', '2'])])
    const [alone, beside]: Results[] = [JSON.parse(one.stdout), JSON.parse(two.stdout)]
    expect(beside!.timings).toMatchObject({ workers: 2, crosscheck: { verdict: 'agrees', runs: 2 } })
    expect({ ...beside!.timings.crosscheck, ms: null }).toEqual({ ...alone!.timings.crosscheck, ms: null })
  })

  // In a process of its own: this thread has read SQL before.
  it.skipIf(findPostgres() === null)('asks PostgreSQL, too, where workers played all of its runs', async () => {
    const onPostgres = ['--impl', 'record-in-the-effects-transaction', '--scenario', 'postgres-crash']
    const { code, stderr } = await onceproof([...onPostgres, '--runs', '40', '--workers', '2', '--no-html', '--json'])
    expect(stderr).toMatch(/^model agrees on \d+ statements of \d+ runs/m)
    expect(code).toBe(0)
  })

  it('cannot start with a server that is named and missing', async () => {
    for (const server of ['./no-such-server', '127.0.0.1:1']) {
      const { code, stdout } = await inTurn([...campaign, '--json', '--redis', server])
      expect(code).toBe(2)
      expect(JSON.parse(stdout).error.culprit).toBe(`--redis ${server}`)
    }
  })
})
