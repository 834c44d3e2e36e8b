import { ServerGone } from 'test-servers'
import { describe, expect, it } from 'vitest'
import { runCampaign } from '../../../src/campaign/conduct/campaign.ts'
import { Crosschecks } from '../../../src/campaign/crosscheck/crosschecks.ts'
import { loadPair } from '../../../src/campaign/play/load-pair.ts'
import { oneAtATime } from '../../../src/campaign/play/one-at-a-time.ts'
import type { PlayedPair } from '../../../src/campaign/play/pair-progress.ts'
import { emptyTally } from '../../../src/campaign/tally/tally.ts'
import { decodeToken } from '../../../src/campaign/token/token.ts'
import type { RealRedisOffer } from '../../../src/campaign/types.ts'
import { createDeps } from '../../../src/cli/create-deps.ts'
import { findRealRedis } from '../../../src/cli/real-redis.ts'
import { selectPairs } from '../../../src/cli/select.ts'
import { exitCodes } from '../../../src/contract/api/exit-codes.ts'
import { needs } from '../../needs/needs.ts'
import { fakeContext } from '../fake-deps.ts'
import { withChangedReplies, withExpiry } from './planted-change.ts'

const offer = await findRealRedis(undefined)

/** Crosschecks a campaign of `runs` runs of a layer that sends plain commands to Redis. */
async function crosscheckOf(realRedis: RealRedisOffer, runs = 40, stopped = () => false) {
  const deps = createDeps(stopped)
  const wanted = { implementations: ['001-get-set'], scenarios: ['lost-reply'], sink: 'plain' as const }
  const [choice] = await selectPairs(wanted, [], deps)
  const realPostgres = { kind: 'none', reason: 'a test needs none' } as const
  const crosschecks = new Crosschecks(1, 1, {
    deps,
    executor: {},
    realRedis,
    realPostgres,
    elapsedMs: () => 0,
    alone: oneAtATime(),
  })
  const progress = { tally: { ...emptyTally(), runs }, failure: null }
  const pair = await loadPair(choice!, deps)
  crosschecks.add({ plan: { choice: choice!, bound: { runs } }, pair, progress } as unknown as PlayedPair, { place: 0 })
  return (await crosschecks.results()).crosscheck!
}

/** Plays a whole campaign of a few runs. */
async function campaign() {
  const deps = createDeps(() => false)
  const wanted = { implementations: ['001-get-set'], scenarios: ['lost-reply'], sink: 'plain' as const }
  const pairs = (await selectPairs(wanted, [], deps)).map((choice) => ({ choice, bound: { runs: 20 } }))
  const request = {
    pairs,
    control: null,
    seed: 1,
    layers: 'must-hold' as const,
    bail: false,
    cheaper: [],
    reports: 'reports',
  }
  const explain = { layer: 0, path: 0, checks: 0 }
  return runCampaign({ ...request, explain }, fakeContext(deps, { realRedis: offer }))
}

needs({ redis: '7.0' }).describe("a campaign's crosscheck", () => {
  it('agrees on a sample of the commands, and picks the same sample every time', async () => {
    const crosscheck = await crosscheckOf(offer)
    expect(crosscheck).toMatchObject({ verdict: 'agrees', runs: 2 })
    expect(crosscheck).toHaveProperty(
      'commands',
      expect.toSatisfy((commands) => commands > 10),
    )
    expect(await crosscheckOf(offer)).toEqual(crosscheck)
  })

  it('finds one changed byte in a reply, and reports the command, the run and its token', async () => {
    const crosscheck = await withChangedReplies('get', () => crosscheckOf(offer))
    if (crosscheck.verdict !== 'disagrees') throw new Error(`it is ${crosscheck.verdict}`)
    const { command, real, model, token, ...where } = crosscheck.disagreement
    expect(command).toMatch(/^GET /i)
    expect(real).not.toBe(model)
    expect(where).toMatchObject({ implementation: '001-get-set', scenario: 'lost-reply' })
    expect(decodeToken(token!)).toMatchObject({ ok: true, run: { run: where.run, seed: 1 } })
  })

  it('ends a campaign with exit code 3 if the model differs, and names the run', async () => {
    const { exitCode, harnessFailure } = await withChangedReplies('get', campaign)
    expect(exitCode).toBe(exitCodes.harness)
    expect(harnessFailure).toMatch(/^the model differs from Redis 7.* \(001-get-set under lost-reply, run 0\): GET /i)
    expect((await campaign()).harnessFailure).toBeNull()
  })

  it('ends a campaign with exit code 3 if keys expire a day late, although no command runs that late', async () => {
    const { exitCode, harnessFailure } = await withExpiry(86_400_000, campaign)
    expect(exitCode).toBe(exitCodes.harness)
    expect(harnessFailure).toMatch(/: EXISTS \S+ after its deadline$/)
  })

  it('executes the example of each root cause, and counts the commands that agree', async () => {
    const { rootCauses, findings, crosschecks } = await campaign()
    const crosscheck = crosschecks.crosscheck!
    if (crosscheck.verdict !== 'agrees') throw new Error(`it is ${crosscheck.verdict}`)
    expect(findings.length).toBeGreaterThan(0)
    expect(crosscheck.counterexamples.map(({ finding }) => finding)).toEqual(rootCauses.map((one) => one.findings[0]))
    for (const { commands } of crosscheck.counterexamples) expect(commands).toBeGreaterThan(3)
  })

  it('plays only runs of the campaign, and none after an interruption', async () => {
    expect(await crosscheckOf(offer, 0)).toEqual({ verdict: 'skipped', reason: 'nothing to compare' })
    expect(await crosscheckOf(offer, 60, () => true)).toEqual({ verdict: 'skipped', reason: 'interrupted' })
  })
})

describe('without a real Redis', () => {
  it('the crosscheck is skipped with the reason', async () => {
    const none = { kind: 'none', reason: 'redis-server not found' } as const
    expect(await crosscheckOf(none)).toEqual({ verdict: 'skipped', reason: 'redis-server not found' })
  })

  it('the crosscheck is skipped with the reason if the server goes away', async () => {
    const gone = { kind: 'ready', start: () => Promise.reject(new ServerGone('it hung up')) } as const
    expect(await crosscheckOf(gone)).toEqual({ verdict: 'skipped', reason: 'it hung up' })
  })
})
