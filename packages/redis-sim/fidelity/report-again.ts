/**
 * A story of real servers that went otherwise than simulated ones is told again: what differs every
 * time, differs.
 */
export interface Report {
  /** Each begins with a line that names what was compared. */
  readonly differences: readonly string[]
}

export type ReportedAgain<T extends Report> = T & {
  /** What was seen in one telling and not in another. */
  readonly unconfirmed: readonly string[]
}

/** The last telling, with the differences that were in all of them. */
export async function reportAgain<T extends Report>(
  report: () => Promise<T>,
  attempts: number,
): Promise<ReportedAgain<T>> {
  const reports = [await report()]
  while (reports.at(-1)!.differences.length > 0 && reports.length < attempts) reports.push(await report())
  const last = reports.at(-1)!
  const everywhere = (name: string) =>
    reports.every(({ differences }) => differences.some((one) => nameOf(one) === name))
  const seen = new Map(reports.flatMap(({ differences }) => differences.map((one) => [nameOf(one), one])))
  const unconfirmed = [...seen].flatMap(([name, one]) => (everywhere(name) ? [] : [one]))
  return { ...last, differences: last.differences.filter((one) => everywhere(nameOf(one))), unconfirmed }
}

function nameOf(difference: string): string {
  return difference.split('\n')[0]!
}
