import type { Comparison, Form } from './predicate-form.ts'

/**
 * The result of PostgreSQL's proof. It is 'unclear' if the proof may use rules that are not
 * simulated.
 */
export type Verdict = 'yes' | 'no' | 'unclear'

const any = (verdicts: readonly Verdict[]): Verdict =>
  verdicts.includes('yes') ? 'yes' : verdicts.includes('unclear') ? 'unclear' : 'no'

const every = (verdicts: readonly Verdict[]): Verdict =>
  verdicts.includes('no') ? 'no' : verdicts.includes('unclear') ? 'unclear' : 'yes'

/**
 * Checks whether one condition implies another, as far as PostgreSQL proves it
 * (src/backend/optimizer/util/predtest.c).
 */
export function implies(given: Form, wanted: Form): Verdict {
  if (wanted.kind === 'and') return every(wanted.of.map((one) => implies(given, one)))
  if (given.kind === 'or') return every(given.of.map((one) => implies(one, wanted)))
  const byPart = given.kind === 'and' ? given.of.map((one) => implies(one, wanted)) : []
  if (wanted.kind === 'or') return any([...byPart, ...wanted.of.map((one) => implies(given, one))])
  return given.kind === 'and' ? any(byPart) : ofOne(given, wanted)
}

type One = Exclude<Form, { readonly kind: 'and' } | { readonly kind: 'or' }>

const columnsOf = (form: One): readonly string[] =>
  form.kind === 'other' ? form.columns : form.kind === 'always' ? [] : [form.column]

function ofOne(given: One, wanted: One): Verdict {
  if (given.kind === 'other' && wanted.kind === 'other' && given.text === wanted.text && !given.hasParameter)
    return 'yes'
  if (!columnsOf(given).some((one) => columnsOf(wanted).includes(one))) {
    return wanted.kind === 'always' ? 'unclear' : 'no'
  }
  if (wanted.kind === 'not null' && given.kind === 'other' && given.strictFor.includes(wanted.column)) return 'yes'
  if (given.kind === 'other' || wanted.kind === 'other') return 'unclear'
  switch (wanted.kind) {
    case 'not null':
      return given.kind === 'null' ? 'no' : given.kind === 'truth' ? 'unclear' : 'yes'
    case 'truth':
      return given.kind === 'truth' && given.value === wanted.value ? 'yes' : 'no'
    case 'compare':
      return given.kind === 'compare' ? ofComparisons(given, wanted) : 'no'
    default:
      return given.kind === wanted.kind ? 'yes' : 'no'
  }
}

type Compared = Extract<Form, { readonly kind: 'compare' }>

function ofComparisons({ by, value }: Compared, wanted: Compared): Verdict {
  if (by === wanted.by && value === wanted.value) return 'yes'
  if (by === '=' && wanted.by === '=') return 'no'
  if (by === '=' && wanted.by === '<>') return value === wanted.value ? 'no' : 'yes'
  if (by === '<>') return 'no'
  if (wanted.by === '=') return 'no'
  // The order of texts depends on the collation.
  if (typeof value !== 'bigint' || typeof wanted.value !== 'bigint') return 'unclear'
  return ofNumbers(by, value, wanted.by, wanted.value) ? 'yes' : 'no'
}

/**
 * Implication between comparisons with numbers. Like PostgreSQL, it ignores that integers have
 * gaps: x < 4 does not imply x <= 3.
 */
function ofNumbers(by: Comparison, a: bigint, wanted: Comparison, b: bigint): boolean {
  if (by.startsWith('>')) return ofNumbers(mirrored(by), -a, mirrored(wanted), -b)
  if (by === '=') return wanted === '<' ? a < b : wanted === '<=' ? a <= b : wanted === '>' ? a > b : a >= b
  if (wanted.startsWith('>')) return false
  return by === '<' || wanted === '<=' ? a <= b : a < b
}

const mirrored = (by: Comparison): Comparison =>
  by === '<>' ? by : ((by.startsWith('<') ? by.replace('<', '>') : by.replace('>', '<')) as Comparison)
