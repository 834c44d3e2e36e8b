/** A story of real servers that went otherwise than simulated ones is told again: what differs every time, differs. */
export interface Telling {
  /** Each begins with a line that names what was compared. */
  readonly differences: readonly string[]
}

export type Retold<T extends Telling> = T & {
  /** What was seen in one telling and not in another. */
  readonly unconfirmed: readonly string[]
}

/** The last telling, with the differences that were in all of them. */
export async function tellAgain<T extends Telling>(tell: () => Promise<T>, attempts: number): Promise<Retold<T>> {
  const tellings = [await tell()]
  while (tellings.at(-1)!.differences.length > 0 && tellings.length < attempts) tellings.push(await tell())
  const last = tellings.at(-1)!
  const everywhere = (name: string) =>
    tellings.every(({ differences }) => differences.some((one) => nameOf(one) === name))
  const seen = new Map(tellings.flatMap(({ differences }) => differences.map((one) => [nameOf(one), one])))
  const unconfirmed = [...seen].flatMap(([name, one]) => (everywhere(name) ? [] : [one]))
  return { ...last, differences: last.differences.filter((one) => everywhere(nameOf(one))), unconfirmed }
}

function nameOf(difference: string): string {
  return difference.split('\n')[0]!
}
