/**
 * `pnpm tokens --from <checkout>`: tokens in docs and tests that no longer follow their path, made again by this version.
 * The checkout is of the version that made them, which alone knows how they broke. Tokens that still follow are left as
 * they are; for the others a run is found that breaks by the same cause, proven, and written in their place.
 */
import path from 'node:path'
import { fileURLToPath } from 'node:url'
import { parseArgs } from 'node:util'
import { startChild } from '../../bench/children.ts'
import { encodeToken, type RecordedRun } from '../../src/campaign/token/token.ts'
import { findAgain } from './find-again.ts'
import { findTokens, replaceToken } from './find-tokens.ts'
import type { Made } from './maker-child.ts'
import { follows, Version } from './version.ts'

const { values } = parseArgs({ options: { from: { type: 'string' }, 'dry-run': { type: 'boolean' } } })
if (values.from === undefined) {
  console.error('tokens: --from <checkout> is missing: the version that made them')
  process.exit(2)
}
const folder = fileURLToPath(new URL('../..', import.meta.url))
const maker = await startChild<string, Made | null>('tokens/maker-child.ts', [path.resolve(values.from)], {
  loadsSources: true,
})
const now = await Version.open(folder)
const counts = { kept: 0, renewed: 0, failed: 0 }

for (const [token, files] of findTokens(folder)) {
  const known = now.decode(token)
  const made = known === null ? await maker.ask(token) : null
  const run = known ?? made?.run
  // Tests of bad input have tokens that are none.
  if (run === undefined) continue
  const { fate, text, by } = await renew(token, run, made)
  counts[fate]++
  console.log(`${fate}: ${run.implementation} under ${run.scenario} (${files.join(', ')}): ${text}`)
  if (by !== undefined && values['dry-run'] !== true) replaceToken(folder, files, token, by)
}
await maker.close()
console.log(`${counts.kept} kept, ${counts.renewed} renewed, ${counts.failed} failed`)
process.exit(counts.failed > 0 ? 1 : 0)

/** `asked`: what the checkout says of the token, where this version cannot read it. */
async function renew(
  token: string,
  old: RecordedRun,
  asked: Made | null,
): Promise<{ fate: keyof typeof counts; text: string; by?: string }> {
  const pair = await now.pairOf(old)
  if (pair === null) return { fate: 'failed', text: 'its scenario or layer is in no catalogue' }
  if (asked === null && follows(await now.play(pair, old), old))
    return { fate: 'kept', text: `follows its ${old.stepCount} steps` }
  const { cause } = asked ?? (await maker.ask(token)) ?? { cause: null }
  if (cause === null)
    return { fate: 'failed', text: 'the given checkout does not follow it either, or it breaks nothing there' }
  const about = `${cause.ways.join(', ')}; needed: ${cause.faults.join(', ') || 'no fault'}`
  const again = await findAgain(now, pair, old, cause)
  const by = again === null ? null : encodeToken(again.run)
  if (again === null || by === null) return { fate: 'failed', text: `nothing breaks by the same cause (${about})` }
  return { fate: 'renewed', text: `by ${again.by} (${about})`, by }
}
