import type { Watched } from './instance.ts'

/** `<kind> <name> <host> <port>`, and of whom, as events name an instance. */
export function describeInstance(one: Watched): string {
  const itself = `${one.kind} ${one.name} ${one.address.host} ${one.address.port}`
  if (one.kind === 'master') return itself
  const { name, address } = one.primary
  return `${itself} @ ${name} ${address.host} ${address.port}`
}
