/** The crosscheck on the command line. campaign/crosscheck has the comparisons. */
import { expect, it } from 'vitest'
import type { Results } from '../../src/contract/results/results.ts'
import { needs } from '../needs/needs.ts'
import { onceproof } from './run-cli.ts'
import { onceproofHere } from './run-here.ts'

const runs = ['--impl', '001-get-set', '--scenario', 'lost-reply', '--runs', '20', '--bail']
const campaign = [...runs, '--workers', '1', '--no-html', '--json']

needs({ redis: '7.0' }).describe('a crosscheck with Redis', () => {
  it('the crosscheck changes nothing but the timings', async () => {
    const [withRedis, without] = [await onceproofHere(campaign, { servers: true }), await onceproofHere(campaign)]
    const [a, b]: Results[] = [JSON.parse(withRedis.stdout), JSON.parse(without.stdout)]
    expect(a!.timings.crosscheck).toMatchObject({ verdict: 'agrees', runs: expect.any(Number) })
    expect(b!.timings.crosscheck).toMatchObject({
      verdict: 'skipped',
      reason: expect.stringContaining('redis-server not found'),
    })
    expect({ ...a, timings: null }).toEqual({ ...b, timings: null })
    expect(withRedis.stderr).toMatch(/^checked: .*; Redis [\d.]+ agrees on [\d,]+ commands$/m)
    expect(without.stderr).toMatch(/^checked: .*; not compared with a real Redis: redis-server not found/m)
  })
})

needs({ redis: '7.0', postgres: '15.20' }).describe('a crosscheck with PostgreSQL', () => {
  // In a process, because its main thread must not have parsed SQL before.
  it('the crosscheck compares statements even if worker threads played all runs', async () => {
    const onPostgres = ['--impl', 'record-in-the-effects-transaction', '--scenario', 'postgres-crash']
    const { code, stderr } = await onceproof([...onPostgres, '--runs', '40', '--workers', '2', '--no-html', '--json'])
    expect(stderr).toMatch(/^checked: .*; PostgreSQL [\d.]+ agrees on [\d,]+ statements$/m)
    expect(code).toBe(0)
  })
})

it('the crosscheck rejects a missing server that the user named', async () => {
  for (const server of ['./no-such-server', '127.0.0.1:1']) {
    const { code, stdout } = await onceproofHere([...campaign, '--redis', server], { servers: true })
    expect(code).toBe(2)
    expect(JSON.parse(stdout).error.culprit).toBe(`--redis ${server}`)
  }
})
