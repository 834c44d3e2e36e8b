/**
 * Parses a Lua 5.1 chunk. The package `luaparse` is not used, because Redis clients see the error
 * texts of Lua's parser and the line numbers of Lua's compiler, and the syntax tree of `luaparse`
 * has neither.
 */
import type { Call, Expression, FunctionBody, IfClause, Local, Statement } from './ast.ts'
import { ExpressionParser } from './expression-parser.ts'

const blockEnds = new Set(['else', 'elseif', 'end', 'until', '<eof>'])

/** Returns the main function of the chunk. Throws `LuaSyntaxError`. */
export function parse(source: string, chunkName: string): FunctionBody {
  return new Parser(source, chunkName).main()
}

class Parser extends ExpressionParser {
  main(): FunctionBody {
    const { body } = this.current
    body.block = this.statements()
    this.check('<eof>')
    return body
  }

  private statements(): Statement[] {
    const list: Statement[] = []
    this.enterLevel()
    while (!blockEnds.has(this.token.type)) {
      const statement = this.statement()
      list.push(statement)
      this.accept(';')
      if (statement.kind === 'return' || statement.kind === 'break') break
    }
    this.leaveLevel()
    return list
  }

  private block(isLoop = false): Statement[] {
    this.openScope(isLoop)
    const list = this.statements()
    this.closeScope()
    return list
  }

  private statement(): Statement {
    const line = this.lexer.line
    switch (this.token.type) {
      case 'if':
        return this.ifStatement(line)
      case 'while': {
        this.advance()
        const condition = this.expression()
        this.expect('do')
        const block = this.block(true)
        this.expectClosing('end', 'while', line)
        return { kind: 'while', condition, block, line }
      }
      case 'do': {
        this.advance()
        const block = this.block()
        this.expectClosing('end', 'do', line)
        return { kind: 'do', block, line }
      }
      case 'for':
        return this.forStatement(line)
      case 'repeat':
        return this.repeatStatement(line)
      case 'function':
        return this.functionStatement(line)
      case 'local':
        this.advance()
        return this.accept('function') ? this.localFunction(line) : this.localStatement(line)
      case 'return':
        return this.returnStatement(line)
      case 'break':
        this.advance()
        if (!this.inLoop) this.fail('no loop to break')
        return { kind: 'break', line }
      default:
        return this.expressionStatement(line)
    }
  }

  private ifStatement(line: number): Statement {
    const clauses: IfClause[] = []
    let otherwise: Statement[] | null = null
    do {
      const { line } = this.lexer
      this.advance()
      const condition = this.expression()
      this.expect('then')
      clauses.push({ condition, block: this.block(), line })
    } while (this.token.type === 'elseif')
    if (this.accept('else')) otherwise = this.block()
    this.expectClosing('end', 'if', line)
    return { kind: 'if', clauses, otherwise, line }
  }

  private repeatStatement(line: number): Statement {
    this.advance()
    this.openScope(true)
    this.openScope(false)
    const block = this.statements()
    this.expectClosing('until', 'repeat', line)
    const condition = this.expression()
    this.closeScope()
    this.closeScope()
    return { kind: 'repeat', block, condition, line }
  }

  private forStatement(line: number): Statement {
    this.advance()
    this.openScope(true)
    const name = this.name()
    let statement: Statement
    if (this.token.type === '=') statement = this.numericFor(name, line)
    else if (this.token.type === ',' || this.token.type === 'in') statement = this.genericFor(name, line)
    else this.fail("'=' or 'in' expected")
    this.expectClosing('end', 'for', line)
    this.closeScope()
    return statement
  }

  private numericFor(name: string, line: number): Statement {
    this.checkLocals(4)
    this.advance()
    const start = this.expression()
    this.expect(',')
    const limit = this.expression()
    const step = this.accept(',') ? this.expression() : null
    this.expect('do')
    const prepareLine = this.lastLine
    this.openScope(false)
    const local = this.makeLocal(name)
    local.numeric = true
    this.declare(local)
    const block = this.statements()
    this.closeScope()
    return { kind: 'numericFor', local, start, limit, step, block, prepareLine, line }
  }

  private genericFor(first: string, line: number): Statement {
    const names = [first]
    while (this.accept(',')) names.push(this.name())
    this.checkLocals(3 + names.length)
    this.expect('in')
    const values = this.expressionList()
    this.expect('do')
    this.openScope(false)
    const locals = names.map((name) => this.makeLocal(name))
    for (const local of locals) this.declare(local)
    const block = this.statements()
    this.closeScope()
    return { kind: 'genericFor', locals, values, block, line }
  }

  private functionStatement(line: number): Statement {
    this.advance()
    let target = this.resolve(this.name())
    let isMethod = false
    while (!isMethod && (this.token.type === '.' || this.token.type === ':')) {
      isMethod = this.token.type === ':'
      this.advance()
      const key: Expression = { kind: 'string', value: this.name() }
      target = { kind: 'index', object: target, key, line: this.lastLine }
    }
    const body = this.functionBody(isMethod, line)
    this.markAssigned(target)
    return { kind: 'assign', targets: [target], values: [{ kind: 'function', body }], endLine: line, line }
  }

  private localFunction(line: number): Statement {
    const local = this.makeLocal(this.name())
    this.checkLocals(1)
    this.declare(local)
    return { kind: 'localFunction', local, body: this.functionBody(false, this.lexer.line), line }
  }

  private localStatement(line: number): Statement {
    const locals: Local[] = []
    do {
      locals.push(this.makeLocal(this.name()))
      this.checkLocals(locals.length)
    } while (this.accept(','))
    const values = this.accept('=') ? this.expressionList() : []
    for (const local of locals) this.declare(local)
    return { kind: 'local', locals, values, line }
  }

  private returnStatement(line: number): Statement {
    this.advance()
    const none = blockEnds.has(this.token.type) || this.token.type === ';'
    return { kind: 'return', values: none ? [] : this.expressionList(), line }
  }

  private expressionStatement(line: number): Statement {
    const first = this.suffixed()
    if (first.kind === 'call' || first.kind === 'method') return { kind: 'callStatement', call: first as Call, line }
    const targets = [this.assignable(first)]
    while (this.accept(',')) targets.push(this.assignable(this.suffixed()))
    this.expect('=')
    const values = this.expressionList()
    for (const target of targets) this.markAssigned(target)
    return { kind: 'assign', targets, values, endLine: this.lastLine, line }
  }

  private assignable(target: Expression): Expression {
    if (target.kind !== 'local' && target.kind !== 'global' && target.kind !== 'index') this.fail('syntax error')
    return target
  }

  private markAssigned(target: Expression): void {
    if (target.kind === 'local') target.local.assigned = true
  }

  protected functionBody(isMethod: boolean, line: number): FunctionBody {
    const { body } = this.openFunction(line, false)
    this.expect('(')
    if (isMethod) this.parameter('self')
    if (this.token.type !== ')') this.parameters(body)
    this.expect(')')
    body.block = this.statements()
    this.expectClosing('end', 'function', line)
    this.closeFunction()
    return body
  }

  private parameter(name: string): Local {
    const local = this.makeLocal(name)
    this.checkLocals(1)
    this.declare(local)
    this.current.body.parameters.push(local)
    return local
  }

  private parameters(body: FunctionBody): void {
    do {
      if (this.token.type === '<name>') this.parameter(this.name())
      else if (this.accept('...')) {
        body.isVararg = true
        body.arg = this.makeLocal('arg')
        this.declare(body.arg)
      } else this.fail("<name> or '...' expected")
    } while (!body.isVararg && this.accept(','))
  }
}
