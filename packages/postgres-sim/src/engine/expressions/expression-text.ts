import type { Node } from 'libpg-query'

/** Expressions that differ only in their positions have the same text. */
export function expressionText(node: Node): string {
  return JSON.stringify(node, (key, value) => (key === 'location' ? undefined : value))
}
