import type { Node } from 'libpg-query'

/** The same text for expressions that differ in their places only. */
export function expressionText(node: Node): string {
  return JSON.stringify(node, (key, value) => (key === 'location' ? undefined : value))
}
