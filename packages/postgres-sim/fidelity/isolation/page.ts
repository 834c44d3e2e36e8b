import { mostOrders, type SpecResult } from './compare-specs.ts'

/**
 * Returns the text of docs/how-it-works/postgres-isolation.md: how much of PostgreSQL's own
 * isolation specifications the simulated server supports. `minor` is the minor version of the real
 * server, for example 18 for 15.18.
 */
export function isolationPage(minor: number, results: readonly SpecResult[]): string {
  const sum = (of: (one: SpecResult) => number) => results.reduce((total, one) => total + of(one), 0)
  const outsideOf = ({ outside }: SpecResult) => [...outside.values()].reduce((total, times) => total + times, 0)
  const [alike, outside, different] = [sum((one) => one.alike), sum(outsideOf), sum((one) => one.differences.length)]
  const whole = results.filter((one) => outsideOf(one) === 0).length
  const row = (one: SpecResult) => {
    const reasons = [...one.outside.keys()].map((what) =>
      what.replace(/,$/, '').replaceAll('|', '\\|').replaceAll('\n', ' '),
    )
    return `| \`${one.name}\` | ${one.alike} | ${outsideOf(one)} | ${one.differences.length} | ${reasons.join('; ')} |`
  }
  return `# PostgreSQL's own isolation specifications

\`pnpm --filter postgres-sim isolation <folder> --write docs/how-it-works/postgres-isolation.md\` writes this page. The
folder is \`src/test/isolation/specs\` of PostgreSQL's sources, which are not part of this project. Each specification was
played on PostgreSQL 15.${minor} and on the simulated server. If a specification of a later version uses a feature that 15
lacks, both servers must refuse it with the same error.

**${alike} orders alike, ${outside} outside of the simulation, ${different} different**; ${whole} of ${results.length} specifications are completely inside.

A specification names sessions, their steps, and orders of steps. If it names no orders, all orders are meant that keep
the steps of each session in sequence; up to ${mostOrders} of them are played, evenly selected. Setup, steps and teardown are sent
as PostgreSQL's own tester sends them, each to its session. After each text the servers are compared: answers, errors
with all their fields, command tags, notices, and which session waits for which. A step of a session that still waits is
skipped on both servers. Two things are not compared: the markers with which the tester orders its reports, and
asynchronous notifications.

An order is outside as soon as the simulated server refuses one of its texts by name. The texts before it are compared,
the texts after it are not.

| specification | alike | outside | different | not simulated |
|---|---:|---:|---:|---|
${results.map(row).join('\n')}
`
}
