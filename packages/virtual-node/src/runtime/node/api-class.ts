/**
 * How members of Node's API behave for code in a process
 * (docs/how-it-works/what-a-process-sees.md).
 */
export interface ApiClasses {
  /** Unchanged, because it is deterministic: its result depends only on its arguments. */
  readonly asIs?: string
  /** Replaced by a fixed result, or by a result from the simulated world. */
  readonly simulated?: string
  /**
   * Throws in a process, and the result of the run is unknown; a value reads as `undefined` there.
   */
  readonly refused?: string
  /**
   * Works in a process, but returns something else in every run, so the result of the run is
   * unknown.
   */
  readonly unrepeatable?: string
}

export type ApiClass = keyof ApiClasses

/**
 * The members of each owner. An owner is a module's name, or the place of an object. Members are
 * separated by blanks.
 */
export type ApiTable = Readonly<Record<string, ApiClasses>>

/** Numbers and texts with names of constants, which never change: `Z_BEST_SPEED`, `EOL`. */
export const isConstant = (name: string, value: unknown): boolean =>
  /^[A-Z][A-Za-z0-9]*(_[A-Za-z0-9]+)*$/.test(name) && (typeof value === 'number' || typeof value === 'string')

const parsed = new WeakMap<ApiClasses, ReadonlyMap<string, ApiClass>>()

/** The classes of all members, by name. */
export function classesOf(members: ApiClasses): ReadonlyMap<string, ApiClass> {
  let classes = parsed.get(members)
  if (classes === undefined) parsed.set(members, (classes = parse(members)))
  return classes
}

function parse(members: ApiClasses): ReadonlyMap<string, ApiClass> {
  const classes = new Map<string, ApiClass>()
  for (const [apiClass, names = ''] of Object.entries(members) as [ApiClass, string | undefined][])
    for (const name of names.split(/\s+/)) if (name !== '') classes.set(name, apiClass)
  return classes
}
