/**
 * A specification of PostgreSQL's isolation tester: sessions with named steps, and the orders in
 * which the steps are sent. The format is described in src/test/isolation/README of PostgreSQL's
 * sources.
 */
export interface IsolationSpec {
  readonly setup: readonly string[]
  readonly teardown: readonly string[]
  readonly sessions: readonly SpecSession[]
  /** The listed orders, as step names; empty means all interleavings of the sessions. */
  readonly permutations: readonly (readonly string[])[]
}

export interface SpecSession {
  readonly name: string
  readonly setup: readonly string[]
  readonly teardown: readonly string[]
  readonly steps: readonly SpecStep[]
}

export interface SpecStep {
  readonly name: string
  readonly sql: string
}

interface Session {
  readonly name: string
  readonly setup: string[]
  readonly teardown: string[]
  readonly steps: SpecStep[]
}

/**
 * Matches a blank, a comment, a block of SQL, a quoted name, the markers after a step that specify
 * what the step waits for, or a word.
 */
const token = /\s+|#[^\n]*|\{([^}]*)\}|"((?:[^"\n]|"")*)"|\(([^)]*)\)|([^\s#{}"()]+)/gy

type Token = { readonly kind: 'block' | 'name' | 'word'; readonly text: string }

/** @throws Error if the text is not a specification */
export function parseSpec(text: string): IsolationSpec {
  const tokens = tokensOf(text)
  const setup: string[] = []
  const teardown: string[] = []
  const sessions: Session[] = []
  const permutations: string[][] = []
  let at = 0
  const next = (kind: 'block' | 'a name') => {
    const one = tokens[at++]
    if (one === undefined || (kind === 'block') !== (one.kind === 'block'))
      throw new Error(`${kind} is missing at ${JSON.stringify(one?.text ?? 'the end')}`)
    return one.text
  }
  while (at < tokens.length) {
    const { kind, text: word } = tokens[at++]!
    const session = sessions.at(-1)
    if (kind === 'word' && word === 'session')
      sessions.push({ name: next('a name'), setup: [], teardown: [], steps: [] })
    else if (kind === 'word' && word === 'setup') (session?.setup ?? setup).push(next('block'))
    else if (kind === 'word' && word === 'teardown') (session?.teardown ?? teardown).push(next('block'))
    else if (kind === 'word' && word === 'step' && session)
      session.steps.push({ name: next('a name'), sql: next('block') })
    else if (kind === 'word' && word === 'permutation') {
      const names: string[] = []
      while (at < tokens.length && tokens[at]!.kind !== 'block' && !isKeyword(tokens[at]!))
        names.push(tokens[at++]!.text)
      permutations.push(names)
    } else throw new Error(`${JSON.stringify(word)} is not expected`)
  }
  return { setup, teardown, sessions, permutations }
}

const isKeyword = ({ kind, text }: Token) =>
  kind === 'word' && ['permutation', 'session', 'setup', 'teardown', 'step'].includes(text)

function tokensOf(text: string): Token[] {
  const tokens: Token[] = []
  token.lastIndex = 0
  while (token.lastIndex < text.length) {
    const { lastIndex } = token
    const found = token.exec(text)
    if (!found) throw new Error(`${JSON.stringify(text.slice(lastIndex, lastIndex + 20))} is not expected`)
    const [, block, quoted, , word] = found
    if (block !== undefined) tokens.push({ kind: 'block', text: block.trim() })
    else if (quoted !== undefined) tokens.push({ kind: 'name', text: quoted.replaceAll('""', '"') })
    else if (word !== undefined) tokens.push({ kind: 'word', text: word })
  }
  return tokens
}
