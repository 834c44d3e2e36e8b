import type { Watched } from './instance.ts'

/**
 * An instance in the format of events: `<kind> <name> <host> <port>`, followed by its primary if it
 * is not a primary.
 */
export function describeInstance(one: Watched): string {
  const itself = `${one.kind} ${one.name} ${one.address.host} ${one.address.port}`
  if (one.kind === 'master') return itself
  const { name, address } = one.primary
  return `${itself} @ ${name} ${address.host} ${address.port}`
}
