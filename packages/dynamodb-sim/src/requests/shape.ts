/** Constraints on a member beyond its JSON type, checked in this order. */
export interface Constraints {
  readonly notNull?: true
  readonly oneOf?: readonly string[]
  readonly pattern?: string
  /**
   * Limits for the length of a text in characters, or for the number of members of a list or map.
   */
  readonly shortest?: number
  readonly longest?: number
  readonly least?: number
  readonly most?: number
  /** Constraints on the names in a map. */
  readonly keys?: Pick<Constraints, 'pattern' | 'shortest' | 'longest'>
  /** Constraints on the number of members in each list of a map. */
  readonly values?: Pick<Constraints, 'shortest' | 'longest'>
}

export type Shape = Constraints &
  (
    | { readonly kind: 'text' | 'boolean' | 'integer' | 'long' | 'attribute value' }
    | { readonly kind: 'list'; readonly of: Shape }
    | { readonly kind: 'map'; readonly of: Shape; readonly ofName: string }
    | Structure
  )

export interface Structure extends Constraints {
  readonly kind: 'structure'
  /** The name of the shape in the service's model. */
  readonly name: string
  readonly members: Readonly<Record<string, Shape>>
  /** Members of the real shape that are not simulated. */
  readonly without: readonly string[]
}

export const text = (constraints: Constraints = {}): Shape => ({ kind: 'text', ...constraints })
export const choice = (...oneOf: string[]): Shape => ({ kind: 'text', oneOf })
export const truth: Shape = { kind: 'boolean' }
export const integer = (constraints: Constraints = {}): Shape => ({ kind: 'integer', ...constraints })
export const attributeValue: Shape = { kind: 'attribute value' }
export const list = (of: Shape, constraints: Constraints = {}): Shape => ({ kind: 'list', of, ...constraints })
export const map = (of: Shape, ofName: string, constraints: Constraints = {}): Shape => ({
  kind: 'map',
  of,
  ofName,
  ...constraints,
})
export const structure = (
  name: string,
  members: Readonly<Record<string, Shape>>,
  { without = [], ...constraints }: Constraints & { readonly without?: readonly string[] } = {},
): Structure => ({ kind: 'structure', name, members, without, ...constraints })
