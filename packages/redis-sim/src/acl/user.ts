/** A user: its passwords and selectors. Source: acl.c of Redis 7.0. */
import { createHash } from 'node:crypto'
import { splitInline } from '../resp/inline.ts'
import type { CommandTable } from './categories.ts'
import { describeSelector } from './describe-selector.ts'
import { type Problem, problems, Selector } from './selector.ts'

export class User {
  enabled = false
  /** True if any password is accepted. */
  noPassword = false
  /** Sanitizing of RESTORE payloads; null for the server's default. */
  sanitizing: 'skip-sanitize-payload' | 'sanitize-payload' | null = null
  /** SHA-256 of each password, in hex. */
  passwords: string[] = []
  /**
   * The first selector is the user's root selector. The other selectors come from rules in
   * parentheses.
   */
  selectors: Selector[]

  constructor(
    readonly name: string,
    private readonly table: CommandTable,
  ) {
    this.selectors = [new Selector(table)]
  }

  /** True if no action of this user needs a check. */
  isUnrestricted = false

  copy(): User {
    const copy = new User(this.name, this.table)
    copy.become(this)
    return copy
  }

  become({ enabled, noPassword, sanitizing, passwords, selectors }: User): void {
    Object.assign(this, { enabled, noPassword, sanitizing, passwords: [...passwords] })
    this.selectors = selectors.map((selector) => selector.copy())
    this.isUnrestricted = this.selectors[0]!.isUnrestricted
  }

  accepts(password: string): boolean {
    return this.enabled && (this.noPassword || this.passwords.includes(hash(password)))
  }

  get flags(): string[] {
    return [
      this.enabled ? 'on' : 'off',
      ...(this.noPassword ? ['nopass'] : []),
      ...(this.sanitizing === null ? [] : [this.sanitizing]),
    ]
  }

  describe(): string {
    const [root, ...others] = this.selectors.map((selector) => describeSelector(selector, this.table))
    const passwords = this.passwords.map((password) => `#${password}`)
    return [...this.flags, ...passwords, root, ...others.map((text) => `(${text})`)].join(' ')
  }

  /** Applies one rule; returns its error, or undefined if it is valid. */
  set(rule: string): Problem | undefined {
    switch (rule.toLowerCase()) {
      case '':
        return undefined
      case 'on':
      case 'off':
        this.enabled = rule.toLowerCase() === 'on'
        return undefined
      case 'skip-sanitize-payload':
      case 'sanitize-payload':
        this.sanitizing = rule.toLowerCase() as 'sanitize-payload'
        return undefined
      case 'nopass':
      case 'resetpass':
        this.noPassword = rule.toLowerCase() === 'nopass'
        this.passwords = []
        return undefined
      case 'clearselectors':
        this.selectors.length = 1
        return undefined
      case 'reset':
        this.become(new User(this.name, this.table))
        this.sanitizing = 'sanitize-payload'
        return undefined
      default:
        if (/^[><#!]/.test(rule)) return this.setPassword(rule[0]!, rule.slice(1))
        if (rule.startsWith('(') && rule.endsWith(')')) return this.addSelector(rule.slice(1, -1))
        return this.setRoot(rule)
    }
  }

  private setRoot(rule: string): Problem | undefined {
    const [root] = this.selectors as [Selector]
    const problem = root.set(rule)
    this.isUnrestricted = root.isUnrestricted
    return problem
  }

  private setPassword(sign: string, text: string): Problem | undefined {
    const clear = sign === '>' || sign === '<'
    if (!clear && !/^[0-9a-f]{64}$/.test(text)) return problems.badHash
    const password = clear ? hash(text) : text
    const at = this.passwords.indexOf(password)
    if (sign === '<' || sign === '!') {
      if (at === -1) return problems.noPassword
      this.passwords.splice(at, 1)
      return undefined
    }
    if (at === -1) this.passwords.push(password)
    this.noPassword = false
    return undefined
  }

  private addSelector(rules: string): Problem | undefined {
    const selector = new Selector(this.table)
    for (const rule of splitInline(rules) ?? []) {
      const problem = selector.set(rule)
      if (problem !== undefined) return problem
    }
    this.selectors.push(selector)
    return undefined
  }
}

function hash(password: string): string {
  return createHash('sha256').update(password, 'latin1').digest('hex')
}
