import type { Node } from 'libpg-query'
import { UnsupportedSql } from '../sql-error.ts'
import { Analysis, type Scope } from './analysis.ts'

/**
 * True if the expression calls only IMMUTABLE functions. PostgreSQL checks this after constant
 * folding, which may have removed parts of the expression. An expression whose result depends on
 * such a removal is unsupported.
 * @throws UnsupportedSql
 */
export function isImmutable(analysis: Analysis, node: Node, scope: Scope): boolean {
  const alone = (part: Node) => {
    const own = new Analysis(analysis.backend, [], analysis.compilers)
    own.expression(part, scope)
    return own.callsMutable
  }
  if (!alone(node)) return true
  const isConstant = (part: Node) => !JSON.stringify(part).includes('"ColumnRef"') && !alone(part)
  if (mayBeLeftOut(node, isConstant))
    throw new UnsupportedSql('a function that is not IMMUTABLE beside a constant part')
  return false
}

const computed = ['A_Expr', 'FuncCall', 'BoolExpr', 'CaseExpr', 'CoalesceExpr', 'MinMaxExpr', 'NullTest', 'BooleanTest']

function mayBeLeftOut(node: Node, isConstant: (part: Node) => boolean): boolean {
  const kind = Object.keys(node)[0]!
  if (computed.includes(kind) && isConstant(node)) return true
  if (deciding(node).some(isConstant)) return true
  const parts = partsOf(node)
  if ((kind === 'A_Expr' || kind === 'FuncCall') && parts.some(isNull)) return true
  return parts.some((part) => mayBeLeftOut(part, isConstant))
}

/** The parts that decide whether other parts are evaluated. */
function deciding(node: Node): Node[] {
  if ('BoolExpr' in node) return node.BoolExpr.args ?? []
  if ('CoalesceExpr' in node) return (node.CoalesceExpr.args ?? []).slice(0, -1)
  if (!('CaseExpr' in node)) return []
  const { arg, args } = node.CaseExpr
  return arg ? [arg] : (args ?? []).flatMap((one) => ('CaseWhen' in one ? [one.CaseWhen.expr!] : []))
}

function isNull(node: Node): boolean {
  if ('TypeCast' in node) return isNull(node.TypeCast.arg!)
  return 'A_Const' in node && node.A_Const.isnull === true
}

/** The direct subexpressions of an expression. */
function partsOf(node: Node): Node[] {
  const [kind, body] = Object.entries(node)[0] as [string, object]
  if (kind === 'ColumnRef' || kind === 'A_Const') return []
  const found: Node[] = []
  for (const [name, value] of Object.entries(body)) {
    if (['name', 'funcname', 'typeName'].includes(name)) continue
    for (const one of Array.isArray(value) ? value : [value]) {
      if (typeof one !== 'object' || one === null) continue
      const wrapped = one as Node
      const inner = Object.keys(wrapped)[0]
      if (inner === 'List' || inner === 'CaseWhen' || inner === 'NamedArgExpr') found.push(...partsOf(wrapped))
      else if (inner !== undefined && /^[A-Z]/.test(inner)) found.push(wrapped)
    }
  }
  return found
}
