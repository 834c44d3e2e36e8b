/** A script to run on real and simulated Redis, with its keys and arguments. */
export interface FidelityScript {
  readonly name: string
  readonly body: string
  readonly keys: readonly string[]
  readonly argv: readonly string[]
}

/** The scripts of one topic. Each script receives two keys and three arguments. */
export function topic(name: string, bodies: readonly string[]): FidelityScript[] {
  return bodies.map((body, index) => ({
    name: `${name} ${index + 1}`,
    body,
    keys: ['key:1', 'key:2'],
    argv: ['alpha', '42', '1.5'],
  }))
}
