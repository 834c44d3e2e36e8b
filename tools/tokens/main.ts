/**
 * `pnpm tokens --from <checkout>`: renews the tokens in docs and tests whose runs no longer take
 * the recorded path. The checkout contains the version that made the tokens, because only that
 * version knows how their runs broke. Tokens that still work are unchanged. For each other token,
 * the command finds a run that breaks by the same cause, checks it, and replaces the token by the
 * token of that run.
 */
import path from 'node:path'
import { fileURLToPath } from 'node:url'
import { parseArgs } from 'node:util'
import { findTokens, replaceToken } from './find-tokens.ts'
import { Maker } from './maker.ts'
import { renew } from './renew.ts'
import { Version } from './version.ts'

const { values } = parseArgs({ options: { from: { type: 'string' }, 'dry-run': { type: 'boolean' } } })
if (values.from === undefined) {
  console.error('tokens: --from <checkout> is missing: the version that made them')
  process.exit(2)
}
const folder = fileURLToPath(new URL('../..', import.meta.url))
const maker = new Maker(path.resolve(values.from))
const now = await Version.open(folder)
const counts = { kept: 0, renewed: 0, failed: 0 }

for (const [token, files] of findTokens(folder)) {
  const came = await renew(token, now, (one) => maker.ask(one))
  if (came === null) continue
  const { fate, text, by } = came
  counts[fate]++
  console.log(`${fate}: ${text} (${files.join(', ')})`)
  if (by !== undefined && values['dry-run'] !== true) replaceToken(folder, files, token, by)
}
await maker.close()
console.log(`${counts.kept} kept, ${counts.renewed} renewed, ${counts.failed} failed`)
process.exit(counts.failed > 0 ? 1 : 0)
