/**
 * ES modules run in strict mode, CommonJS modules in the mode that they request. A bundle has both
 * in one function. `strictParts` makes two functions of it, in which every statement keeps its line
 * and column, so that one source map fits both.
 */
import { type Program, parse, type VariableDeclaration } from 'acorn'

export interface StrictParts {
  /** The body of a strict function. It calls `onceproof_sloppy` if there is a second part. */
  readonly strict: string
  /**
   * The body of a sloppy function of `links` with the CommonJS modules; null if no module needs
   * sloppy mode.
   */
  readonly sloppy: string | null
}

type Statement = Program['body'][number]
interface Declared {
  readonly name: string
  readonly statement: VariableDeclaration
}

/** `code`: as esbuild writes it, with one `var` for each CommonJS module at its top level. */
export function strictParts(code: string): StrictParts {
  // Parsing takes longer than bundling.
  if (!code.includes('__commonJS(')) return { strict: code, sloppy: null }
  const { body } = parse(code, {
    ecmaVersion: 'latest',
    sourceType: 'script',
    allowAwaitOutsideFunction: true,
    allowHashBang: true,
  })
  const declared = body.flatMap(declaredBy)
  const modules = declared.filter(({ statement }) => calls(statement) === '__commonJS')
  if (!modules.some(({ statement }) => isSloppy(statement))) return { strict: code, sloppy: null }
  const moved = new Set(modules)
  const sloppyText = modules.map(({ statement }) => code.slice(statement.start, statement.end)).join('\n')
  const after = lastHelper(code, body)
  const linked = declared.filter((one) => !moved.has(one) && mentions(sloppyText, one.name))
  const namespaces = linked.filter(({ statement }) => isNamespace(statement))
  const links = linked.flatMap((one) => {
    if (calls(one.statement) === '__esm') return [`${one.name}: () => ${one.name}()`]
    // A table of modules that are named at run time. It is made when the first of them is
    // requested.
    if (/^glob(Require|Import)_/.test(one.name)) return [`${one.name}: (path) => ${one.name}(path)`]
    return one.statement.end <= after || namespaces.includes(one) ? [one.name] : []
  })
  const names = modules.map(({ name }) => name)
  const made = namespaces.map(({ name }) => `var ${name} = {};`).join(' ')
  const call = `${made} var { ${names.join(', ')} } = onceproof_sloppy({ ${links.join(', ')} });`
  const gone = [...modules, ...namespaces].map(({ statement }) => statement)
  const strict = blanked(code, gone)
  const kept = blanked(
    code,
    inverse(
      modules.map(({ statement }) => statement),
      code.length,
    ),
  )
  const given = links.map((link) => link.split(':')[0]!)
  return {
    strict: `${strict.slice(0, after)} ${call}${strict.slice(after)}`,
    sloppy: `var { ${given.join(', ')} } = links;${kept}\nreturn { ${names.join(', ')} };`,
  }
}

function declaredBy(statement: Statement): Declared[] {
  if (statement.type !== 'VariableDeclaration' || statement.declarations.length !== 1) return []
  const [{ id }] = statement.declarations as [VariableDeclaration['declarations'][number]]
  return id.type === 'Identifier' ? [{ name: id.name, statement }] : []
}

/** The name of the function that initializes the variable. */
function calls({ declarations: [first] }: VariableDeclaration): string | null {
  const init = first?.init
  return init?.type === 'CallExpression' && init.callee.type === 'Identifier' ? init.callee.name : null
}

/** `var layer_exports = {};`: the exports object of a module before it is filled. */
function isNamespace({ declarations: [first] }: VariableDeclaration): boolean {
  const { init, id } = first!
  const named = id.type === 'Identifier' && /_exports\d*$/.test(id.name)
  return named && init?.type === 'ObjectExpression' && init.properties.length === 0
}

/** True if a CommonJS module is code and does not request strict mode. */
function isSloppy({ declarations: [first] }: VariableDeclaration): boolean {
  const init = first!.init
  if (init?.type !== 'CallExpression') return false
  const [modules] = init.arguments
  const [member] = modules?.type === 'ObjectExpression' ? modules.properties : []
  if (member?.type !== 'Property' || member.value.type !== 'FunctionExpression') return true
  const { key, value } = member
  if (key.type === 'Literal' && String(key.value).endsWith('.json')) return false
  const [start] = value.body.body
  return !(start?.type === 'ExpressionStatement' && start.directive === 'use strict')
}

const mentions = (text: string, name: string) =>
  new RegExp(`(?<![\\w$])${name.replaceAll('$', '\\$')}(?![\\w$])`).test(text)

/**
 * The end of esbuild's own functions: they come first, and a comment with its name precedes every
 * module.
 */
function lastHelper(code: string, body: readonly Statement[]): number {
  let end = 0
  for (const statement of body) {
    if (code.slice(end, statement.start).includes('//')) break
    end = statement.end
  }
  return end
}

interface Stretch {
  readonly start: number
  readonly end: number
}

function inverse(stretches: readonly Stretch[], length: number): Stretch[] {
  const edges = [0, ...stretches.flatMap(({ start, end }) => [start, end]), length]
  return Array.from({ length: edges.length / 2 }, (_, at) => ({ start: edges[2 * at]!, end: edges[2 * at + 1]! }))
}

/** Replaces the stretches by blanks; lines stay. */
function blanked(code: string, stretches: readonly Stretch[]): string {
  let text = ''
  let from = 0
  for (const { start, end } of [...stretches].sort((a, b) => a.start - b.start)) {
    const lines = code.slice(start, end).split('\n')
    text += code.slice(from, start) + lines.map(({ length }) => ' '.repeat(length)).join('\n')
    from = end
  }
  return text + code.slice(from)
}
