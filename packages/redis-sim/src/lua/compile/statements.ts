/** Compiles Lua statements to JavaScript text. */
import type { Expression, FunctionBody, Local, Statement } from '../syntax/ast.ts'
import type { Constants } from './constants.ts'
import { ExpressionEmitter, localName } from './expressions.ts'
import type { LineWatch } from './line-watch.ts'
import { emitGenericFor, emitNumericFor } from './loops.ts'
import type { Sites } from './sites.ts'
import { isMulti, isNumeric } from './static-facts.ts'

/** State shared by the functions of a chunk during compilation. */
export interface ChunkEmitter {
  readonly sites: Sites
  readonly constants: Constants
  readonly lines: LineWatch | null
  /**
   * True if each function has a twin, a second version whose calls are kept on the heap. It is
   * needed if the chunk uses coroutines or may recurse.
   */
  readonly twins: boolean
  readonly executableLines: Set<number>
}

export class FunctionEmitter extends ExpressionEmitter {
  constructor(
    body: FunctionBody,
    private readonly chunk: ChunkEmitter,
    yielding: boolean,
  ) {
    super(body, chunk.sites, chunk.constants, yielding)
  }

  /** The function as an expression, including its twin if the chunk has twins. */
  static functionText(body: FunctionBody, chunk: ChunkEmitter): string {
    const plain = new FunctionEmitter(body, chunk, false).text()
    return chunk.twins ? `twin(${plain}, ${new FunctionEmitter(body, chunk, true).text()})` : plain
  }

  protected functionText(body: FunctionBody): string {
    return FunctionEmitter.functionText(body, this.chunk)
  }

  private text(): string {
    const { parameters, isVararg, arg, usesVararg, block, parent, line } = this.body
    const names = parameters.map(localName)
    if (isVararg) names.push('...$va')
    const argTable = arg ? `let ${localName(arg)} = ${usesVararg ? 'undefined' : 'argTable($va)'};` : ''
    const statements = this.block(block)
    const temporaries = this.temporaryNames().map((name) => `, ${name}`)
    const start = parent === null ? '$n = 1000;' : this.step(line)
    return `function${this.yielding ? '*' : ''} (${names.join(', ')}) {
let $l = 0${temporaries.join('')};
${argTable}
try {
${start}
${statements}
return none;
} catch ($e) { throw unwind($e, $l, $i); }
}`
  }

  /**
   * Text that decrements the step budget, for each iteration of a loop and each entry of a
   * function.
   */
  step(line: number): string {
    return `if (--$n < 0) { ${this.site(line)}; $n = tick(); }`
  }

  block(statements: readonly Statement[]): string {
    return statements.map((statement) => this.counter(statement.line) + this.statement(statement)).join('\n')
  }

  private counter(line: number): string {
    if (!this.yielding) this.chunk.executableLines.add(line)
    const { lines } = this.chunk
    if (lines === null) return ''
    return lines === 'count' ? `$c[${line}]++; ` : `$c(${line}); `
  }

  private statement(statement: Statement): string {
    switch (statement.kind) {
      case 'local':
        return this.local(statement.locals, statement.values)
      case 'assign':
        return statement.targets.length === 1 && statement.values.length === 1
          ? this.assignOne(statement.targets[0]!, statement.values[0]!, statement.endLine)
          : this.assignMany(statement.targets, statement.values, statement.endLine)
      case 'callStatement':
        return `${this.call(statement.call)};`
      case 'do':
        return `{ ${this.block(statement.block)} }`
      case 'while':
        return `while (${this.condition(statement.condition)}) { ${this.step(statement.line)} ${this.block(statement.block)} }`
      case 'repeat':
        return `for (;;) { ${this.step(statement.line)} ${this.block(statement.block)}
if (${this.condition(statement.condition)}) break; }`
      case 'if':
        return this.ifText(statement)
      case 'numericFor':
        return emitNumericFor(this, statement)
      case 'genericFor':
        return emitGenericFor(this, statement)
      case 'localFunction':
        return `let ${localName(statement.local)}; ${localName(statement.local)} = ${this.functionText(statement.body)};`
      case 'return':
        return this.returnText(statement.values)
      case 'break':
        return 'break;'
    }
  }

  private ifText(statement: Statement & { kind: 'if' }): string {
    const clauses = statement.clauses.map(({ condition, block, line }, at) => {
      // An `elseif` is passed to the line function but not counted, because only statements are
      // counted.
      const reported = at > 0 && typeof this.chunk.lines === 'function' ? `$c(${line}), ` : ''
      return `if (${reported}${this.condition(condition)}) { ${this.block(block)} }`
    })
    const otherwise = statement.otherwise ? ` else { ${this.block(statement.otherwise)} }` : ''
    return clauses.join(' else ') + otherwise
  }

  private returnText(values: readonly Expression[]): string {
    const only = values.length === 1 ? values[0]! : null
    if (only && (only.kind === 'call' || only.kind === 'method')) return `return ${this.call(only, true)};`
    if (only) return `return ${this.result(only)};`
    return values.length === 0 ? 'return none;' : `return [${this.list(values)}];`
  }

  private local(locals: readonly Local[], values: readonly Expression[]): string {
    const texts = this.adjusted(values, locals.length)
    locals.forEach((local, index) => {
      local.numeric = index < values.length && isNumeric(values[index]!)
    })
    return locals.map((local, index) => `let ${localName(local)} = ${texts.values[index]};`).join(' ') + texts.after
  }

  /**
   * Texts that evaluate to exactly `count` values, in order. The text `after` evaluates the
   * remaining expressions.
   */
  adjusted(values: readonly Expression[], count: number): { values: string[]; after: string } {
    const texts = values.slice(0, count).map((value) => this.value(value))
    const last = values.at(-1)
    if (last && isMulti(last) && values.length < count) {
      const results = this.temporary()
      texts[values.length - 1] = `(${results} = all(${this.result(last)}))[0]`
      for (let index = values.length; index < count; index++) texts.push(`${results}[${index - values.length + 1}]`)
    }
    while (texts.length < count) texts.push('undefined')
    const surplus = values.slice(count).map((value) => ` ${this.result(value)};`)
    return { values: texts, after: surplus.join('') }
  }

  private assignOne(target: Expression, value: Expression, line: number): string {
    if (target.kind === 'index') {
      return this.assignField(target, value, line)
    }
    return `${this.store(target, this.value(value), line)};`
  }

  private assignField(target: Expression & { kind: 'index' }, value: Expression, line: number): string {
    let object = this.value(target.object)
    let key = this.value(target.key)
    const site = this.site(line, target.object)
    const [late, lateKey] = [this.isReadLate(target.object, value), this.isReadLate(target.key, value)]
    if (!late && !lateKey) return `setIndex(${object}, ${key}, ${this.value(value)}, ${site});`
    const steps: string[] = []
    const keep = (text: string) => {
      const name = this.temporary()
      steps.push(`${name} = ${text};`)
      return name
    }
    if (!late) object = keep(object)
    if (!lateKey) key = keep(key)
    const stored = keep(this.value(value))
    return `${steps.join(' ')} setIndex(${object}, ${key}, ${stored}, ${site});`
  }

  private store(target: Expression, value: string, line: number): string {
    if (target.kind === 'local') return `${localName(target.local)} = ${value}`
    return `setGlobal(${value}, ${this.site(line)})`
  }

  /**
   * Evaluates first the tables and keys of the targets, then the values. Then assigns the values
   * from right to left.
   */
  private assignMany(targets: readonly Expression[], values: readonly Expression[], line: number): string {
    const before: string[] = []
    const keep = (text: string) => {
      const name = this.temporary()
      before.push(`${name} = ${text};`)
      return name
    }
    const places = targets.map((target) =>
      target.kind === 'index' ? { object: keep(this.value(target.object)), key: keep(this.value(target.key)) } : null,
    )
    const { values: texts, after } = this.adjusted(values, targets.length)
    const kept = texts.map(keep)
    const stores = targets.map((target, index) => {
      const place = places[index]
      if (!place || target.kind !== 'index') return `${this.store(target, kept[index]!, line)};`
      return `setIndex(${place.object}, ${place.key}, ${kept[index]}, ${this.site(line, target.object)});`
    })
    return `${before.join(' ')}${after} ${stores.reverse().join(' ')}`
  }
}
