/**
 * The syntax tree of a Lua 5.1 chunk, with resolved names. `line` is the line that Lua's compiler
 * records for the instruction and that error messages show.
 */
export interface Local {
  readonly name: string
  /** Unique in the chunk; used in JavaScript names. */
  readonly id: number
  readonly owner: FunctionBody
  /** True if the variable is assigned after its declaration. */
  assigned: boolean
  /**
   * True if the variable always holds a number: a numeric loop variable, or a local that is
   * initialized with a number and never assigned.
   */
  numeric: boolean
}

export interface FunctionBody {
  readonly parent: FunctionBody | null
  readonly line: number
  parameters: Local[]
  isVararg: boolean
  /**
   * The old `arg` table, which exists if a vararg function does not use `...` (LUA_COMPAT_VARARG).
   */
  arg: Local | null
  usesVararg: boolean
  block: Statement[]
}

export type BinaryOperator = '+' | '-' | '*' | '/' | '%' | '^' | '..' | '==' | '~=' | '<' | '<=' | '>' | '>='
export type UnaryOperator = '-' | 'not' | '#'

export type Expression =
  | { readonly kind: 'nil' }
  | { readonly kind: 'true' }
  | { readonly kind: 'false' }
  | { readonly kind: 'vararg' }
  | { readonly kind: 'number'; readonly value: number }
  | { readonly kind: 'string'; readonly value: string }
  | { readonly kind: 'function'; readonly body: FunctionBody }
  | { readonly kind: 'local'; readonly local: Local }
  | { readonly kind: 'global'; readonly name: string; line: number }
  | { readonly kind: 'index'; readonly object: Expression; readonly key: Expression; line: number }
  | Call
  | { readonly kind: 'paren'; readonly inner: Expression }
  | { readonly kind: 'and' | 'or'; readonly left: Expression; readonly right: Expression }
  | {
      readonly kind: 'binary'
      readonly operator: BinaryOperator
      readonly left: Expression
      readonly right: Expression
      readonly line: number
    }
  | {
      readonly kind: 'unary'
      readonly operator: UnaryOperator
      readonly operand: Expression
      readonly line: number
    }
  | { readonly kind: 'table'; readonly fields: readonly TableField[]; readonly line: number }

export type Call =
  | {
      readonly kind: 'call'
      readonly callee: Expression
      readonly args: readonly Expression[]
      readonly line: number
    }
  | {
      readonly kind: 'method'
      readonly object: Expression
      readonly name: string
      readonly nameLine: number
      readonly args: readonly Expression[]
      readonly line: number
    }

export type TableField =
  | { readonly key: null; readonly value: Expression }
  | { readonly key: Expression; readonly value: Expression; readonly line: number }

export interface IfClause {
  readonly condition: Expression
  readonly block: readonly Statement[]
  /** Line of the `if` or `elseif`. */
  readonly line: number
}

export type Statement = { readonly line: number } & (
  | { readonly kind: 'local'; readonly locals: readonly Local[]; readonly values: readonly Expression[] }
  | {
      readonly kind: 'assign'
      readonly targets: readonly Expression[]
      readonly values: readonly Expression[]
      readonly endLine: number
    }
  | { readonly kind: 'callStatement'; readonly call: Call }
  | { readonly kind: 'do'; readonly block: readonly Statement[] }
  | { readonly kind: 'while'; readonly condition: Expression; readonly block: readonly Statement[] }
  | { readonly kind: 'repeat'; readonly block: readonly Statement[]; readonly condition: Expression }
  | {
      readonly kind: 'if'
      readonly clauses: readonly IfClause[]
      readonly otherwise: readonly Statement[] | null
    }
  | {
      readonly kind: 'numericFor'
      readonly local: Local
      readonly start: Expression
      readonly limit: Expression
      readonly step: Expression | null
      readonly block: readonly Statement[]
      readonly prepareLine: number
    }
  | {
      readonly kind: 'genericFor'
      readonly locals: readonly Local[]
      readonly values: readonly Expression[]
      readonly block: readonly Statement[]
    }
  | { readonly kind: 'localFunction'; readonly local: Local; readonly body: FunctionBody }
  | { readonly kind: 'return'; readonly values: readonly Expression[] }
  | { readonly kind: 'break' }
)
