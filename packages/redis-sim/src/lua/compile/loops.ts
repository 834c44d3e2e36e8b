/** `for` loops. Each iteration has fresh variables, because closures may capture them. */
import type { Expression, Statement } from '../syntax/ast.ts'
import { localName } from './expressions.ts'
import type { FunctionEmitter } from './statements.ts'

const isInteger = (expression: Expression | null) =>
  expression?.kind === 'number' && Number.isSafeInteger(expression.value) && Math.abs(expression.value) < 2 ** 52

export function emitNumericFor(emitter: FunctionEmitter, statement: Statement & { kind: 'numericFor' }): string {
  const { local, start, limit, step, block, prepareLine } = statement
  const constantStep = step === null ? 1 : step.kind === 'number' ? step.value : null
  const exact = isInteger(start) && constantStep === 1
  const up = '$x <= $y'
  const down = '$x >= $y'
  const test = constantStep === null ? `($z > 0 ? ${up} : ${down})` : constantStep > 0 ? up : down
  // Before the first iteration, Lua subtracts the step from the start value and adds it again,
  // which may round the value.
  return `{ let $x = ${emitter.value(start)}, $y = ${emitter.value(limit)}, $z = ${step ? emitter.value(step) : '1'};
${emitter.site(prepareLine)}; $x = loopNumber($x, 'initial value'); $y = loopNumber($y, 'limit'); $z = loopNumber($z, 'step');
for (${exact ? '' : '$x = $x - $z + $z'}; ${test}; $x += $z) { ${emitter.step(statement.line)} let ${localName(local)} = $x;
${emitter.block(block)} } }`
}

export function emitGenericFor(emitter: FunctionEmitter, statement: Statement & { kind: 'genericFor' }): string {
  const { locals, values, block, line } = statement
  const { values: texts, after } = emitter.adjusted(values, 3)
  const names = locals.map(localName)
  const [key, value, ...rest] = names
  const site = emitter.iteratorSite(line)
  return `{ let $f = ${texts[0]}, $s = ${texts[1]}, $x = ${texts[2]};${after}
const $it = traverse($f, $s, $x);
for (;;) { ${emitter.step(statement.line)} let ${names.join(', ')};
if ($it !== null) { ${site}; if (!$it.step()) break; ${key} = $it.key; ${value ? `${value} = $it.value;` : ''} }
else { const $r = all(call2($f, $s, $x, ${site})); ${key} = $r[0]; ${value ? `${value} = $r[1];` : ''}
${rest.map((name, index) => `${name} = $r[${index + 2}];`).join(' ')}
if (${key} === undefined) break; $x = ${key}; }
${emitter.block(block)} } }`
}
