import type { ViolationResult } from '../contract/results.ts'
import type { CampaignRequest, Surroundings } from './campaign-request.ts'
import type { Counterexample } from './counterexample.ts'
import { encodeRun, encodeToken } from './token.ts'

/** A counterexample as results give it, with the command that replays it; a file holds what no token can. */
export function violationResult(
  { invariant, violation, recorded, story, eventCount, faultCount }: Counterexample,
  { reports }: Pick<CampaignRequest, 'reports'>,
  { keep }: Pick<Surroundings, 'keep'>,
): ViolationResult {
  const { kind, key, sentence } = violation
  const token = encodeToken(recorded)
  const where = { seed: recorded.seed, run: recorded.run, token }
  const what = { sentence, story, eventCount, faultCount }
  if (token !== null) return { invariant, kind, key, ...where, replay: `pnpm sim replay ${token}`, ...what }
  const { implementation, scenario, sink } = recorded
  const name = `${[implementation, scenario, ...(sink === 'plain' ? [] : [sink]), invariant, kind]
    .join('--')
    .replaceAll(/[^\w-]+/g, '-')
    .replace(/^-+/, '')}.json`
  keep(name, encodeRun(recorded))
  return { invariant, kind, key, ...where, replay: `pnpm sim replay ${reports}/latest/${name}`, ...what }
}
