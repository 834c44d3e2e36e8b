import type { SpecResult } from './compare-specs.ts'

/** docs/postgres-isolation.md: how far the simulated PostgreSQL goes with the specifications that PostgreSQL tests itself by. */
export function isolationPage(results: readonly SpecResult[]): string {
  const sum = (of: (one: SpecResult) => number) => results.reduce((total, one) => total + of(one), 0)
  const outsideOf = ({ outside }: SpecResult) => [...outside.values()].reduce((total, times) => total + times, 0)
  const [alike, outside, different] = [sum((one) => one.alike), sum(outsideOf), sum((one) => one.differences.length)]
  const row = (one: SpecResult) => {
    const reasons = [...one.outside.keys()].map((what) => what.replaceAll('|', '\\|').replaceAll('\n', ' '))
    return `| \`${one.name}\` | ${one.alike} | ${outsideOf(one)} | ${one.differences.length} | ${reasons.join('; ')} |`
  }
  return `# PostgreSQL's own isolation specifications

\`pnpm fidelity:isolation <folder> --write docs/postgres-isolation.md\` writes this page. The folder is
\`src/test/isolation/specs\` of the sources of PostgreSQL 15, which are not part of this project.

Each specification names sessions, their steps, and orders of steps; where it names no orders, all are meant that keep each session's own, and up
to 60 of them are played, spread evenly. Both servers are asked statement by statement, and compared after each: answers, errors with all their fields,
command tags, and who waits for whom. Two things are not as PostgreSQL's own tester does them: a step of several statements is sent one
statement after the other, and how long a session waits before it looks for a deadlock is the comparison's, not the specification's.

**${alike} orders alike, ${outside} outside of what is simulated, ${different} different**, in ${results.length} specifications. An order is outside as soon as one of its
statements is refused by name; nothing behind that statement is compared.

| specification | alike | outside | different | what is not simulated |
|---|---:|---:|---:|---|
${results.map(row).join('\n')}
`
}
