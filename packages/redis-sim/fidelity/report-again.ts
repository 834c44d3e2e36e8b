/**
 * Repeats the comparison of a story if real and simulated servers differ. Only differences that
 * occur in all attempts count.
 */
export interface Report {
  /** The differences. The first line of each difference names the comparison. */
  readonly differences: readonly string[]
}

export type ReportedAgain<T extends Report> = T & {
  /** Differences that did not occur in every attempt. */
  readonly unconfirmed: readonly string[]
}

/** Returns the last report, with the differences that all attempts have in common. */
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
