import type { Node } from 'libpg-query'

/** A text of an expression. Expressions that only differ in their positions have the same text. */
export function expressionText(node: Node): string {
  return JSON.stringify(node, (key, value) => (key === 'location' ? undefined : value))
}
