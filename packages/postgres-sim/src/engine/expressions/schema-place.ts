/** A system column or generated column that a schema expression uses. */
export interface UsedColumn {
  readonly name: string
  readonly position: number
}

/** The names of a kind of schema expression in error messages, singular and plural. */
interface Kind {
  readonly one: string
  readonly many: string
}

const kinds = {
  default: { one: 'DEFAULT expression', many: 'DEFAULT expressions' },
  generated: { one: 'column generation expression', many: 'column generation expressions' },
  check: { one: 'check constraint', many: 'check constraints' },
  index: { one: 'index expression', many: 'index expressions' },
  predicate: { one: 'index predicate', many: 'index predicates' },
} as const satisfies Record<string, Kind>

/**
 * The kind of schema expression that is being compiled, such as a default or an index. A schema
 * expression allows less than a query.
 */
export class SchemaPlace {
  readonly kind: keyof typeof kinds
  /**
   * The first generated column and the first system column that the expression uses. They are
   * checked after the whole expression was compiled.
   */
  generated: UsedColumn | null = null
  system: UsedColumn | null = null

  constructor(kind: keyof typeof kinds) {
    this.kind = kind
  }

  get title(): Kind {
    return kinds[this.kind]
  }
}
