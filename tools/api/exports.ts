/**
 * Extracts the exports of an entry point, with their docstrings and declarations as written. It
 * only parses, with an older TypeScript. TypeScript 7 has no parser in JavaScript, and TypeDoc
 * checks types, which takes too long for a test file of the fast tier.
 */
import path from 'node:path'
import ts from 'typescript5'

/** Reads a file of the project. */
export type Read = (file: string) => string

/** One declaration with its docstring. A function has one declaration for each overload. */
export interface Declared {
  readonly text: string
  /** The texts of `@throws` and `@example`, by tag. */
  readonly tags: Readonly<Record<string, readonly string[]>>
  readonly declaration: string
}

export interface Exported {
  readonly name: string
  readonly isType: boolean
  readonly declared: readonly Declared[]
}

type Found = Map<string, Exported>

/** The exports of a file by name, including re-exports from other files. */
export function exportsOf(file: string, read: Read): Found {
  const jsDocParsingMode = ts.JSDocParsingMode.ParseNone
  const source = ts.createSourceFile(
    file,
    read(file),
    { languageVersion: ts.ScriptTarget.Latest, jsDocParsingMode },
    true,
  )
  const found: Found = new Map()
  const add = (name: string, isType: boolean, one: Declared) =>
    found.set(name, { name, isType, declared: [...(found.get(name)?.declared ?? []), one] })

  for (const statement of source.statements) {
    if (ts.isExportDeclaration(statement))
      for (const one of exportedFrom(statement, file, read)) found.set(one.name, one)
    else if (ts.isModuleDeclaration(statement)) {
      const members = statement.body!.forEachChild((one) => (ts.isInterfaceDeclaration(one) ? one.members : undefined))
      for (const member of members ?? []) add(member.name!.getText(), false, declared(member, member.getText()))
    } else if (ts.canHaveModifiers(statement) && isExported(statement)) {
      if (ts.isVariableStatement(statement))
        for (const one of statement.declarationList.declarations)
          add(one.name.getText(), false, declared(statement, `const ${signature(one, one.type && one.initializer)}`))
      else if (ts.isFunctionDeclaration(statement)) {
        const isOverload = statement.body !== undefined && found.has(statement.name!.text)
        if (!isOverload) add(statement.name!.text, false, declared(statement, signature(statement, statement.body)))
      } else if (ts.isClassDeclaration(statement))
        add(statement.name!.text, false, declared(statement, classText(statement)))
      else if (ts.isInterfaceDeclaration(statement) || ts.isTypeAliasDeclaration(statement))
        add(
          statement.name.text,
          true,
          declared(statement, [bare(statement.getText()), ...constantsIn(statement)].join('\n')),
        )
    }
  }
  return found
}

/** The exports of an `export … from` statement. Exports of a package have no declaration here. */
function exportedFrom(statement: ts.ExportDeclaration, file: string, read: Read): Exported[] {
  const from = (statement.moduleSpecifier as ts.StringLiteral).text
  const names =
    statement.exportClause && ts.isNamedExports(statement.exportClause) ? statement.exportClause.elements : null
  if (!from.startsWith('.')) {
    const isType = statement.isTypeOnly
    return names!.map(({ name: { text: name } }) => ({
      name,
      isType,
      declared: [declared(statement, statement.getText())],
    }))
  }
  const found = exportsOf(path.posix.join(path.posix.dirname(file), from), read)
  return names === null
    ? [...found.values()]
    : names.map(({ name, propertyName = name }) => ({ ...found.get(propertyName.text)!, name: name.text }))
}

const isExported = (statement: ts.HasModifiers): boolean =>
  statement.modifiers?.some(({ kind }) => kind === ts.SyntaxKind.ExportKeyword) ?? false

/** A declaration up to its body or value. A destructured parameter is shown as `options`. */
function signature(node: ts.Node, end: ts.Node | undefined): string {
  const text = node.getText()
  const shown = end === undefined ? text : text.slice(0, end.getStart() - node.getStart())
  const apart = ts.isFunctionDeclaration(node)
    ? node.parameters.filter(({ name }) => ts.isObjectBindingPattern(name))
    : []
  const named = apart.reduce((whole, { name }) => whole.replace(name.getText(), 'options'), shown)
  return bare(named).replace(/[\s={]+$/, '')
}

const bare = (text: string): string => text.replace(/^export (async )?/, '')

/** A class with its public members, without bodies. */
function classText(node: ts.ClassDeclaration): string {
  const hidden = (one: ts.ClassElement) =>
    ts.canHaveModifiers(one) && one.modifiers?.some(({ kind }) => kind === ts.SyntaxKind.PrivateKeyword)
  const members = node.members
    .filter((one) => !hidden(one))
    .map((one) => {
      const { body } = one as ts.MethodDeclaration
      return `  ${body === undefined ? one.getText() : signature(one, body)}`
    })
  const head = node.getText().slice(0, node.members.pos - node.getStart())
  return [bare(head), ...members, '}'].join('\n')
}

/**
 * The constants of the same file from which a type is derived, such as `names` in `(typeof
 * names)[number]`.
 */
function constantsIn(node: ts.Node): string[] {
  const names = [...node.getText().matchAll(/typeof (\w+)/g)].map(([, name]) => name)
  return node.getSourceFile().statements.flatMap((one) => {
    const [constant] = ts.isVariableStatement(one) ? one.declarationList.declarations : []
    return constant !== undefined && names.includes(constant.name.getText()) ? [bare(one.getText())] : []
  })
}

function declared(node: ts.Node, declaration: string): Declared {
  const source = node.getSourceFile().text
  const comments = ts.getLeadingCommentRanges(source, node.pos) ?? []
  const [docstring = ''] = comments
    .map(({ pos, end }) => source.slice(pos, end))
    .filter(isDocstring)
    .slice(-1)
  return { ...docOf(docstring), declaration }
}

const isDocstring = (comment: string): boolean => comment.startsWith('/**')

/**
 * The text and the tags of a docstring. A line in a code block is code, even if it begins with `@`.
 */
export function docOf(comment: string): Omit<Declared, 'declaration'> {
  const lines = comment
    .replace(/^\/\*\*/, '')
    .replace(/\s*\*\/$/, '')
    .split('\n')
  const tags: Record<string, string[]> = { text: [''] }
  let [at, isCode] = ['text', false]
  for (const line of lines.map((one) => one.replace(/^\s*\* ?|^ /, ''))) {
    if (line.startsWith('```')) isCode = !isCode
    const [, tag, rest = ''] = (!isCode && /^@(\w+) ?(.*)$/.exec(line)) || []
    if (tag !== undefined) (tags[(at = tag)] ??= []).push(rest)
    else tags[at]![tags[at]!.length - 1] += `\n${line}`
  }
  const { text, ...others } = Object.fromEntries(
    Object.entries(tags).map(([tag, all]) => [tag, all.map((one) => one.trim())]),
  )
  return { text: text![0]!, tags: others }
}
