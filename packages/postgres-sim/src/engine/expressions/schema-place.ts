/** A system column or a generated one that an expression of a schema uses. */
export interface UsedColumn {
  readonly name: string
  readonly position: number
}

/**
 * What an expression is part of that is kept with its table: messages name it so, alone and in the
 * plural.
 */
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
 * Where an expression stands while its table or index is made: less is taken there than in a query.
 */
export class SchemaPlace {
  readonly kind: keyof typeof kinds
  /** The first of each, for what is judged after the whole expression was read. */
  generated: UsedColumn | null = null
  system: UsedColumn | null = null

  constructor(kind: keyof typeof kinds) {
    this.kind = kind
  }

  get title(): Kind {
    return kinds[this.kind]
  }
}
