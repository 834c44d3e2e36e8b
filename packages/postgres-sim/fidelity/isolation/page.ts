import { mostOrders, type SpecResult } from './compare-specs.ts'

/**
 * Returns the text of docs/how-it-works/postgres-isolation.md: how much of PostgreSQL's own
 * isolation specifications the simulated server supports. `minor`: minor version of the real
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

\`pnpm --filter postgres-sim isolation <folder> --write docs/how-it-works/postgres-isolation.md\` writes this page. The folder is
\`src/test/isolation/specs\` of PostgreSQL's sources, which are not part of this project. PostgreSQL 15.${minor} answered; where a specification
is of a later version and asks for what 15 does not know, both servers have to refuse it alike.

Each specification names sessions, their steps, and orders of steps; where it names no orders, all are meant that keep each session's own, and up
to ${mostOrders} of them are played, spread evenly. Setup, steps and teardown are sent text by text, as PostgreSQL's own tester sends them, each to the
session that it belongs to. After each text the servers are compared: answers, errors with all their fields, command tags, notices, and who waits
for whom. A step of a session that still waits is left out on both. Not looked at are the marks by which the tester puts its reports in order, for
there is no report here, and notifications that come.

**${alike} orders alike, ${outside} outside of what is simulated, ${different} different**; ${whole} of ${results.length} specifications have nothing outside.
An order is outside as soon as one of its texts is refused by name; what comes before that text is compared, and nothing behind it.

| specification | alike | outside | different | what is not simulated |
|---|---:|---:|---:|---|
${results.map(row).join('\n')}
`
}
