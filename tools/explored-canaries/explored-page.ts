import { type ExploredCanary, reasonsOfHolding } from './explored-canary.ts'

/** The page docs/findings/explored-canaries.md. */
export function exploredPage(canaries: readonly ExploredCanary[]): string {
  const having = (fate: ExploredCanary['fate']) => canaries.filter((one) => one.fate === fate)
  const seconds = canaries.flatMap((one) => (one.fate === 'killed' ? [one.seconds] : [])).sort((a, b) => a - b)
  return `# Canaries, explored

<!-- Written by \`pnpm explored-canaries --write\`. -->

[Canaries](canaries.md) are layers that are broken on purpose. \`onceproof explore\` plays each of them with two deliveries
of one key and the kinds of faults that its file names, until the first order that breaks it. It ends after 30 s.

- ${seconds.length} of ${canaries.length} are killed, half of them within ${seconds[seconds.length >> 1]} s and all within ${seconds.at(-1)} s.
- ${having('beyond').length} need something that the bound does not contain.
- ${having('holds').length} hold in every order within the bound, for the reason that the table gives.
- ${having('cut').length} were not played whole in 30 s.

| canary | result | runs | seconds |
|---|---|---|---|
${canaries.map(rowOf).join('\n')}
`
}

function rowOf(one: ExploredCanary): string {
  if (one.fate === 'beyond') return `| \`${one.id}\` | ${one.why} | | |`
  const faults = one.faults === 0 ? 'without faults' : one.faults === 1 ? 'with 1 fault' : `with ${one.faults} faults`
  const result = { killed: 'killed', holds: 'holds', cut: 'not played whole' }[one.fate]
  const why = one.fate === 'holds' ? `: ${reasonsOfHolding[one.id] ?? '**without a reason**'}` : ''
  return `| \`${one.id}\` | ${result} ${faults}${why} | ${one.runs} | ${one.seconds} |`
}
