import { Database } from 'postgres-sim'
import { ServerGone } from 'test-servers'
import { describe, expect, it } from 'vitest'
import { runCampaign } from '../../../../src/campaign/conduct/campaign.ts'
import { decodeToken } from '../../../../src/campaign/token/token.ts'
import type { RealPostgresOffer } from '../../../../src/campaign/types.ts'
import { createDeps } from '../../../../src/cli/create-deps.ts'
import { findRealPostgres } from '../../../../src/cli/real-postgres.ts'
import { selectPairs } from '../../../../src/cli/select.ts'
import { exitCodes } from '../../../../src/contract/api/exit-codes.ts'
import { needs } from '../../../needs/needs.ts'
import { fakeContext } from '../../fake-deps.ts'
import { rewriting } from './rewriting.ts'

const offer = findRealPostgres()

/** Plays a whole campaign: a few runs of a layer that breaks. */
async function campaign(
  realPostgres: RealPostgresOffer,
  scenario = 'competing-consumers',
  implementation = '003-postgres-skip-locked',
) {
  const deps = createDeps(() => false)
  const wanted = { implementations: [implementation], scenarios: [scenario], sink: 'plain' as const }
  const pairs = (await selectPairs(wanted, [], deps)).map((choice) => ({ choice, bound: { runs: 30 } }))
  const explain = { layer: 0, path: 0, checks: 0 }
  const request = {
    ...{ pairs, control: null, seed: 1, layers: 'must-hold' as const, bail: false, cheaper: [], reports: 'reports' },
    explain,
  }
  return runCampaign(request, fakeContext(deps, { realPostgres }))
}

/** While `work` runs, simulated servers execute a rewritten text of each statement. */
async function withRewriting<T>(from: RegExp, to: string, work: () => Promise<T>): Promise<T> {
  const { connect } = Database.prototype
  rewriting(from, to)(Database.prototype)
  try {
    return await work()
  } finally {
    Database.prototype.connect = connect
  }
}

needs({ postgres: '15.20' }).describe('a campaign on PostgreSQL', () => {
  it('sends a sample of its runs and all shown runs to a real server, without an effect on its results', async () => {
    const { crosschecks, ...found } = await campaign(offer)
    const { crosscheck, postgresCrosscheck } = crosschecks
    expect(crosscheck).toBeUndefined()
    if (postgresCrosscheck?.verdict !== 'agrees') throw new Error(`it is ${postgresCrosscheck?.verdict}`)
    const { rootCauses, exitCode } = found
    expect(exitCode).toBe(exitCodes.violated)
    expect(rootCauses.length).toBeGreaterThan(0)
    expect(postgresCrosscheck).toMatchObject({
      ...{ postgres: expect.stringMatching(/^15\./), runs: 2 + rootCauses.length, byRule: 0, leftOut: {} },
      implementations: ['003-postgres-skip-locked'],
    })
    expect(postgresCrosscheck.counterexamples.map(({ finding }) => finding)).toEqual(
      rootCauses.map((one) => one.findings[0]),
    )
    for (const { commands } of postgresCrosscheck.counterexamples) expect(commands).toBeGreaterThan(5)
    const reason = 'there is none'
    const { crosschecks: without, ...same } = await campaign({ kind: 'none', reason })
    const implementations = ['003-postgres-skip-locked']
    expect(without).toEqual({ postgresCrosscheck: { verdict: 'skipped', reason, implementations } })
    expect(same).toEqual(found)
  })

  it.each([
    ['SKIP LOCKED is ignored', / SKIP LOCKED/, '', /: SELECT \* FROM idempotency_records .* FOR UPDATE SKIP LOCKED /],
    [
      'ON CONFLICT counts a row that it should skip',
      /DO NOTHING/,
      'DO UPDATE SET status = excluded.status',
      /: INSERT /,
    ],
  ])('ends with exit code 3 if %s, and reports the statement and both answers', async (_, from, to, statement) => {
    const { exitCode, harnessFailure, crosschecks } = await withRewriting(from, to, () =>
      campaign(offer, 'only-redeliveries'),
    )
    expect(exitCode).toBe(exitCodes.harness)
    expect(harnessFailure).toMatch(/^the model differs from PostgreSQL 15\S+ in a run of this campaign \(003-postgres-/)
    expect(harnessFailure).toMatch(statement)
    if (crosschecks.postgresCrosscheck?.verdict !== 'disagrees') throw new Error('it does not disagree')
    const { real, model, token, run } = crosschecks.postgresCrosscheck.disagreement
    expect(real).not.toBe(model)
    expect(decodeToken(token!)).toMatchObject({ ok: true, run: { run, seed: 1 } })
  })
})

describe('without a real PostgreSQL', () => {
  it('a campaign reports that the server went away', async () => {
    const gone = { kind: 'ready', start: () => Promise.reject(new ServerGone('it hung up')) } as const
    const { crosschecks } = await campaign(gone)
    expect(crosschecks.postgresCrosscheck).toMatchObject({ verdict: 'skipped', reason: 'it hung up' })
  })

  it('a campaign of layers on Redis neither starts nor mentions it', async () => {
    const start = () => Promise.reject(new Error('it was started'))
    const { crosschecks } = await campaign({ kind: 'ready', start }, 'lost-reply', '001-get-set')
    expect(Object.keys(crosschecks)).toEqual(['crosscheck'])
  })
})
