/**
 * The token stream and scopes used by the parser. Limits and texts are those of Lua 5.1's parser.
 */
import type { Expression, FunctionBody, Local } from './ast.ts'
import { Lexer, type Token } from './lexer.ts'

const maxLocals = 200
const maxUpvalues = 60
const maxSyntaxLevels = 200

interface Scope {
  readonly locals: Local[]
  readonly isLoop: boolean
}

interface FunctionState {
  readonly body: FunctionBody
  readonly parent: FunctionState | null
  readonly scopes: Scope[]
  readonly upvalues: Set<Local>
  localCount: number
}

export class Scopes {
  protected readonly lexer: Lexer
  protected token: Token
  private ahead: Token | null = null
  /** Line of the last consumed token, which Lua assigns to the instructions that it emits. */
  protected lastLine = 1
  protected current: FunctionState
  private levels = 0
  private localIds = 0

  constructor(source: string, chunkName: string) {
    this.lexer = new Lexer(source, chunkName)
    this.current = this.openFunction(0, true)
    this.token = this.lexer.next()
  }

  protected advance(): void {
    this.lastLine = this.lexer.line
    this.token = this.ahead ?? this.lexer.next()
    this.ahead = null
  }

  protected peek(): Token {
    this.ahead ??= this.lexer.next()
    return this.ahead
  }

  protected fail(message: string): never {
    this.lexer.failNear(message, this.token)
  }

  protected accept(type: string): boolean {
    if (this.token.type !== type) return false
    this.advance()
    return true
  }

  protected check(type: string): void {
    if (this.token.type !== type) this.fail(`'${type}' expected`)
  }

  protected expect(type: string): void {
    this.check(type)
    this.advance()
  }

  protected expectClosing(what: string, opened: string, line: number): void {
    if (this.accept(what)) return
    if (line === this.lexer.line) this.fail(`'${what}' expected`)
    this.fail(`'${what}' expected (to close '${opened}' at line ${line})`)
  }

  protected name(): string {
    this.check('<name>')
    const text = this.token.text
    this.advance()
    return text
  }

  protected enterLevel(): void {
    if (++this.levels > maxSyntaxLevels) this.lexer.fail('chunk has too many syntax levels')
  }

  protected leaveLevel(): void {
    this.levels--
  }

  protected openFunction(line: number, isVararg: boolean): FunctionState {
    const parent = this.current ?? null
    const body: FunctionBody = {
      parent: parent?.body ?? null,
      line,
      parameters: [],
      isVararg,
      arg: null,
      usesVararg: false,
      block: [],
    }
    this.current = { body, parent, scopes: [{ locals: [], isLoop: false }], upvalues: new Set(), localCount: 0 }
    return this.current
  }

  protected closeFunction(): void {
    this.current = this.current.parent!
  }

  protected openScope(isLoop: boolean): void {
    this.current.scopes.push({ locals: [], isLoop })
  }

  protected closeScope(): void {
    const scope = this.current.scopes.pop()!
    this.current.localCount -= scope.locals.length
  }

  protected get inLoop(): boolean {
    return this.current.scopes.some((scope) => scope.isLoop)
  }

  private limit(state: FunctionState, max: number, what: string): never {
    const where = state.body.line === 0 ? 'main function' : `function at line ${state.body.line}`
    this.lexer.fail(`${where} has more than ${max} ${what}`)
  }

  /**
   * Fails if a function has too many local variables. `hidden` is the number of Lua's internal
   * variables, which count towards the limit.
   */
  protected checkLocals(hidden: number): void {
    if (this.current.localCount + hidden > maxLocals) this.limit(this.current, maxLocals, 'local variables')
  }

  protected makeLocal(name: string): Local {
    return { name, id: this.localIds++, owner: this.current.body, assigned: false, numeric: false }
  }

  /** Declares the variable: from now on, its name refers to it. */
  protected declare(local: Local): void {
    this.current.scopes.at(-1)!.locals.push(local)
    this.current.localCount++
  }

  protected resolve(name: string): Expression {
    for (let state: FunctionState | null = this.current; state; state = state.parent) {
      for (let depth = state.scopes.length - 1; depth >= 0; depth--) {
        const found = state.scopes[depth]!.locals.findLast((local) => local.name === name)
        if (!found) continue
        this.countUpvalue(found, state)
        return { kind: 'local', local: found }
      }
    }
    return { kind: 'global', name, line: this.lastLine }
  }

  private countUpvalue(local: Local, owner: FunctionState): void {
    for (let state = this.current; state !== owner; state = state.parent!) {
      state.upvalues.add(local)
      if (state.upvalues.size > maxUpvalues) this.limit(state, maxUpvalues, 'upvalues')
    }
  }
}
