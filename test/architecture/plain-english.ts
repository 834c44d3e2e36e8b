/**
 * Finds the dialect that the project no longer writes. `markers` lists its patterns. A file may
 * keep as many faults as `english-debt.json` lists for it; a new file must have none.
 * `pnpm english` prints the figures, `pnpm english <file>` prints the faults of a file.
 */
import fs from 'node:fs'
import path from 'node:path'
import { packageFolder } from './pages.ts'

/** After these words, a clause with "what" or "where" is an indirect question: correct English. */
const asking =
  '(?:(?:know|say|show|see|print|tell|report|record|check|find|ask|decid|explain|describ|learn|understand|determin|' +
  'remember|list|defin|document|depend)(?:e|s|n|es|ed|ing)?|knew|said|saw|told|found|about|regardless)'
const asked = String.raw`(?:\b${asking}(?:\s+(?:on|of|from|to|exactly))?|\b${asking}\b[^.!?]*[\s,](?:and|or))\s+`

/** After these words, "where" is about a place. */
const place =
  '(?:folder|director(?:y|ies)|files?|places?|lines?|columns?|positions?|points?|paths?|pages?|repositor(?:y|ies)|' +
  'offset|index|sections?|locations?|spots?|machines?|hosts?|steps?|tables?|functions?|modules?|exactly|from|to|of|' +
  'is|are|was|were|stays?|stayed|left)'

/** The first word of a sentence, of a passage or of a list item in a comment. */
const startingWith = (word: string) => String.raw`\b${word}\s+(?<=(?:^|[.!?:]\s+|\n\s*\n\s*|\n[-*]\s+)${word}\s+)`
const noQuestion = String.raw`(?![^.!?]*\?)`
const is = '(?:is|are|was|were)'
const pronoun =
  '(?:it|there|they|nobody|somebody|anybody|one|none|nothing|something|no|both|neither|either|that|this|those|these|' +
  'any|all|others?|another|what|who)'
const adverb = String.raw`(?:not|never|also|then|still|all|just|\w+ly)`
const comparative = '(?:longer|more|less|fewer|later|earlier|different|better|worse)'
const does = '(?:is|are|was|were|has|have|had|does|do|did|can|could|may|might|must|will|would)'

const pattern = (...alternatives: string[]) => new RegExp(alternatives.join('|'), 'g')
const anyCase = (...alternatives: string[]) => new RegExp(alternatives.join('|'), 'gi')

/** Wordings that a reader has to read twice. */
export const markers: Readonly<Record<string, RegExp>> = {
  'where-for-if': anyCase(
    String.raw`\b(?=where\s)(?<!\b${place}\s+|${asked}|^|[.!?:]\s+)where\s+${pronoun}\b${noQuestion}`,
    String.raw`${startingWith('Where')}[^.!?,]*,\s${noQuestion}`,
  ),
  'what-clause': anyCase(String.raw`\b(?=what\s)(?<!${asked})what\s+(?:is|are|was|were|has|have|had)\b${noQuestion}`),
  nobody: /\b(?:nobody|somebody|anybody)\b/gi,
  'is-none': anyCase(String.raw`(?<!\bthere\s+(?:\w+\s+)?)\b${is}\s+(?:none\b|no\s+(?!${comparative}\b)[a-z]+)`),
  'of-its-own': /\bof\s+(?:its|their|his|her|one['’]s|our|my|your)\s+own\b/gi,
  'is-told': anyCase(String.raw`\b(?:${is}|be|been|being|gets?|got)\s+(?:${adverb}\s+)?told\b(?!\s+apart\b)`),
  whoever: pattern(
    String.raw`\b[Ww]ho(?:ever|soever|mever)\b`,
    String.raw`${startingWith('Who')}[a-z]+\b${noQuestion}`,
  ),
  'fronted-of': pattern(
    String.raw`${startingWith('Of')}(?:an?|the|one|each|every|all|those|these|what|which|its|their|two|several|some)\s(?!\d)`,
    String.raw`${startingWith('Ones?')}(?:that|which|who|whose)\b`,
  ),
  'old-word': /\b(?:anew|amiss|befalls?|befell|befallen|therein|thereupon|wherein|whereupon|naught|nought)\b/gi,
  'in-place-of': /\bin\s+place\s+of\b/gi,
  'from-when-on': /\b(?:from|until|till|since)\s+when\b(?!\?)/gi,
  'so-many': pattern(
    String.raw`\b[Ss]o\s+(?:many|few)\b(?!(?:\s+\S+){0,4}\s+that\b)`,
    String.raw`\b(?:nothing|none|nobody)\s+but\s+(?:that|what|where|how|who|when)\b`,
    String.raw`(?<!\bnot\b[^.;,]*)\bbut\s+for\s+(?!(?:each|every|now|this|that|the\s+first)\b)`,
  ),
  'for-because': pattern(
    String.raw`n\/a,\s+for\b`,
    String.raw`(?:^|[,;:(–—]\s*)for\s+(?:it|they|that|this|these|those|nothing|none|nobody)\s+${does}\b`,
    String.raw`\bfor\s+there\s+${does}\b`,
  ),
}

/** A piece of prose with the line breaks of its file. Code in it is replaced by `_`. */
export interface Passage {
  readonly kind: 'comment' | 'message' | 'title' | 'text' | 'cell'
  readonly line: number
  readonly text: string
}

/** Comments and, in TypeScript and JavaScript, messages. In pages, everything but code. */
export function proseOf(file: string, text: string): Passage[] {
  if (file.endsWith('.md')) return pageProse(text)
  const language = languages.find(({ ending }) => ending.test(file))
  return language === undefined ? scriptProse(text) : commentsOf(text, language.token)
}

const quoted = String.raw`'(?:\\.|[^'\\\n])*'|"(?:\\.|[^"\\\n])*"`
const languages = [
  { ending: /\.lua$/, token: new RegExp(String.raw`--\[\[([\s\S]*?)\]\]|--(.*)|\[\[[\s\S]*?\]\]|${quoted}`, 'g') },
  { ending: /\.go$/, token: new RegExp(String.raw`\/\*([\s\S]*?)\*\/|\/\/(.*)|\x60[^\x60]*\x60|${quoted}`, 'g') },
  { ending: /\.(?:py|sh)$/, token: new RegExp(String.raw`"""([\s\S]*?)"""|(?<![\S])#(.*)|${quoted}`, 'g') },
]

function commentsOf(text: string, token: RegExp): Passage[] {
  const prose = new Collected(text)
  for (const match of text.matchAll(token)) {
    const comment = match[1] ?? match[2]
    if (comment !== undefined) prose.comment(match.index, match[0])
  }
  return prose.passages
}

/** Collects the passages of a program. Comments in adjacent lines become one passage. */
class Collected {
  readonly passages: Passage[] = []
  readonly #text: string
  readonly #lineStarts: number[] = [0]
  #commentEnd = -1

  constructor(text: string) {
    this.#text = text
    for (let at = text.indexOf('\n'); at !== -1; at = text.indexOf('\n', at + 1)) this.#lineStarts.push(at + 1)
  }

  comment(at: number, source: string): void {
    const text = withoutCode(source.split('\n').map(commentLine).join('\n'))
    const last = this.passages.at(-1)
    const adjoins = this.#commentEnd >= 0 && /^\s*$/.test(this.#text.slice(this.#commentEnd, at))
    const gap = adjoins && last !== undefined ? this.lineOf(at) - last.line - last.text.split('\n').length : -1
    this.#commentEnd = at + source.length
    if (gap === 0 && last !== undefined)
      this.passages[this.passages.length - 1] = { ...last, text: `${last.text}\n${text}` }
    else this.passages.push({ kind: 'comment', line: this.lineOf(at), text })
  }

  message(at: number, source: string): void {
    const text = source.replace(/\\([\s\S])/g, (_, escaped) => (/[nrt\n]/.test(escaped) ? ' ' : escaped))
    if (isMessage(text)) this.passages.push({ kind: 'message', line: this.lineOf(at), text: withoutCode(text) })
  }

  lineOf(at: number): number {
    let low = 0
    let high = this.#lineStarts.length
    while (high - low > 1) {
      const middle = (low + high) >> 1
      if (this.#lineStarts[middle]! <= at) low = middle
      else high = middle
    }
    return low + 1
  }
}

const commentLine = (line: string) =>
  line.replace(/^\s*(?:\/\/+|\/\*+|\*(?!\/)|--(?:\[\[)?|#+!?|""")? ?/, '').replace(/\s*(?:\*\/|\]\]|""")$/, '')

const withoutCode = (text: string) => text.replace(/(`+)[^`]+\1/g, (code) => `_${code.replace(/[^\n]/g, '')}`)

/** Strings that are SQL, JSON, Lua, JavaScript or HTML. */
const program = new RegExp(
  [
    String.raw`^\s*(?:SELECT|INSERT|UPDATE|DELETE|CREATE|ALTER|DROP|BEGIN|WITH|GRANT|SET|LOCK|VALUES|COPY)\s`,
    String.raw`^\s*[[{]"`,
    String.raw`\bredis\.p?call\(|=>|\b(?:const|let|local)\s+\w+\s*=|\breturn\s[\s\S]*[;(]|\bfunction\b.*\(`,
    String.raw`\b(?:import|export)\s[\s\S]*\sfrom\s|<\/?[a-z]+[ >]`,
  ].join('|'),
)

/** Longer strings are lists of names, style sheets and other data. */
const longestMessage = 1000

function isMessage(text: string): boolean {
  if (text.length > longestMessage || program.test(text)) return false
  return text.split(/\s+/).filter((word) => /[A-Za-z]/.test(word)).length >= 3
}

const scriptToken = /\/\/.*|\/\*[\s\S]*?\*\/|'(?:\\[\s\S]|[^'\\\n])*'|"(?:\\[\s\S]|[^"\\\n])*"|[^'"`/{}]+|[\s\S]/g
const regexLiteral = /\/(?:\\.|\[(?:\\.|[^\]\\\n])*\]|[^/\\[\n])+\/[a-z]*/y
const templatePart = /((?:\\[\s\S]|\$(?!\{)|[^`\\$])*)(`|\$\{)/y

/** After this code, `/` starts a regular expression. Otherwise it divides. */
const beforeRegex = /(?:^|[^\w$)\]}'"`\s]|\b(?:return|typeof|case|in|of|void|await|yield|else|do))\s*$/

function scriptProse(text: string): Passage[] {
  const prose = new Collected(text)
  /** The open templates. `text` has a `_` for each expression; the last one has open `braces`. */
  const templates: { readonly at: number; text: string; braces: number }[] = []
  const token = new RegExp(scriptToken)
  let previous = ''

  const template = (from: number) => {
    const open = templates.at(-1)!
    templatePart.lastIndex = from
    const part = templatePart.exec(text)
    token.lastIndex = part === null ? text.length : templatePart.lastIndex
    open.text += part?.[1] ?? ''
    if (part?.[2] === '${') {
      open.text += '_'
      previous = ''
      return
    }
    templates.pop()
    prose.message(open.at, open.text)
    previous = '`'
  }

  for (let match = token.exec(text); match !== null; match = token.exec(text)) {
    const [found] = match
    const first = found[0]!
    if (found.startsWith('//') || found.startsWith('/*')) {
      prose.comment(match.index, found)
      continue
    }
    const open = templates.at(-1)
    if (first === '`') {
      templates.push({ at: match.index, text: '', braces: 0 })
      template(token.lastIndex)
      continue
    }
    if (first === '}' && open?.braces === 0) {
      template(token.lastIndex)
      continue
    }
    if (first === '{' && open !== undefined) open.braces++
    else if (first === '}' && open !== undefined) open.braces--
    else if ((first === "'" || first === '"') && found.length > 1) prose.message(match.index, found.slice(1, -1))
    else if (first === '/' && beforeRegex.test(previous)) {
      regexLiteral.lastIndex = match.index
      if (regexLiteral.test(text)) token.lastIndex = regexLiteral.lastIndex
    }
    if (found.trim() !== '') previous = found
  }
  return prose.passages
}

const wordless = (html: string) => html.replace(/[^\n]/g, '')

function pageProse(text: string): Passage[] {
  const passages: Passage[] = []
  let lines: string[] = []
  let fence = ''
  const end = (at: number) => {
    const joined = plainText(lines.join('\n'))
    if (lines.length > 0) passages.push({ kind: 'text', line: at - lines.length + 1, text: joined })
    lines = []
  }
  const source = text.replace(/<!--[\s\S]*?-->/g, wordless).split('\n')
  for (const [at, raw] of source.entries()) {
    const line = raw.replace(/^(?:\s*>)+ ?/, '')
    const ticks = /^\s*(?:[-*]\s+)?(`{3,}|~{3,})/.exec(line)?.[1]
    if (fence !== '') {
      if (ticks?.startsWith(fence)) fence = ''
    } else if (ticks !== undefined) {
      end(at)
      fence = ticks
    } else if (line.trim() === '') end(at)
    else if (line.startsWith('#')) {
      end(at)
      passages.push({ kind: 'title', line: at + 1, text: plainText(line.replace(/^#+\s*/, '')) })
    } else if (/^\s*\|/.test(line)) {
      end(at)
      const cells = plainText(line).replaceAll('\\|', '_').split('|')
      for (const cell of cells) if (/\w/.test(cell)) passages.push({ kind: 'cell', line: at + 1, text: cell.trim() })
    } else {
      const item = /^\s*(?:[-*+]|\d+[.)])\s+/.exec(line)?.[0]
      if (item !== undefined) end(at)
      lines.push(line.slice(item?.length ?? 0).trim())
    }
  }
  end(source.length)
  return passages
}

/** Without code, addresses of links, emphasis and tags. */
const plainText = (markdown: string) =>
  withoutCode(markdown)
    .replace(/\]\([^)\n]*\)/g, '')
    .replace(/!?\[|\]|\*\*|<\/?[a-z][^>\n]*>/g, '')

export interface Hit {
  readonly line: number
  readonly marker: string
  readonly sentence: string
}

export function count(prose: readonly Passage[]): { words: number; hits: Hit[] } {
  let words = 0
  const hits: Hit[] = []
  for (const { kind, line, text } of prose) {
    words += wordsIn(text)
    for (const [marker, pattern] of Object.entries(markers)) {
      // A title may be a free clause, such as `What is simulated`.
      if (kind === 'title' && marker === 'what-clause') continue
      // Most passages have no hit, and a search is much cheaper than the iterator.
      if (text.search(pattern) === -1) continue
      for (const match of text.matchAll(pattern))
        hits.push({ line: line + newlines(text, match.index), marker, sentence: sentenceAt(text, match.index) })
    }
  }
  return { words, hits }
}

const wordsIn = (text: string) => text.match(/[A-Za-z][\w'’-]*/g)?.length ?? 0
const newlines = (text: string, end: number) => text.slice(0, end).split('\n').length - 1

function sentenceAt(text: string, at: number): string {
  const before = /[^.!?]*$/.exec(text.slice(Math.max(0, at - 80), at))![0]
  const after = /^[^.!?]*[.!?]?/.exec(text.slice(at))![0]
  const sentence = `${before}${after}`.replace(/\s+/g, ' ').trim()
  return sentence.length > 160 ? `${sentence.slice(0, 159)}…` : sentence
}

const nameOf = { markers: 'markers', wide: 'wide comment lines', cells: 'long table cells' } as const
export type Kind = keyof typeof nameOf
const kinds = Object.keys(nameOf) as Kind[]

const widestComment = 100
const longestCell = 25

export interface Fault {
  readonly kind: Kind
  readonly file: string
  readonly line: number
  readonly text: string
}

function faultsOf(file: string, text: string): { words: number; faults: Fault[] } {
  if (/^\W*(?:@generated|Generated by)\b/m.test(text.slice(0, 300))) return { words: 0, faults: [] }
  const prose = proseOf(file, text)
  const { words, hits } = count(prose)
  const fault = (kind: Kind, line: number, text: string): Fault => ({ kind, file, line, text })
  const cells = prose.filter((passage) => passage.kind === 'cell' && wordsIn(passage.text) > longestCell)
  const faults = [
    ...hits.map(({ line, marker, sentence }) => fault('markers', line, `${marker}: ${sentence}`)),
    ...tooWide(text, prose).map((line) => fault('wide', line, `a comment over ${widestComment} columns`)),
    ...cells.map(({ line }) => fault('cells', line, `a table cell over ${longestCell} words`)),
  ]
  return { words, faults }
}

/** Ignores lines that cannot be wrapped: they have a URL or a directive. */
function tooWide(text: string, prose: readonly Passage[]): number[] {
  const lines = text.split('\n')
  const wraps = (line: number) => !/:\/\/|biome-ignore|@ts-/.test(lines[line - 1]!)
  return prose
    .filter(({ kind }) => kind === 'comment')
    .flatMap(({ line, text }) => Array.from({ length: newlines(text, text.length) + 1 }, (_, at) => line + at))
    .filter((line) => lines[line - 1]!.length > widestComment && wraps(line))
}

export interface Area {
  words: number
  hits: number
}

export interface Survey {
  /** By `debtKey`. The list of a file without faults is empty. */
  readonly files: ReadonlyMap<string, readonly Fault[]>
  readonly areas: Readonly<Record<string, Area>>
}

/** Drops the suffix of a test's tier, so that a test which changes its tier keeps its debt. */
export const debtKey = (file: string) => file.replace(/\.(?:server|long)(?=\.test\.)/, '')

export function surveyOf(sources: ReadonlyMap<string, string>): Survey {
  const files = new Map<string, Fault[]>()
  const areas: Record<string, Area> = {}
  for (const [file, text] of sources) {
    const { words, faults } = faultsOf(file, text)
    const key = debtKey(file)
    files.set(key, [...(files.get(key) ?? []), ...faults])
    const area = (areas[areaOf(file)] ??= { words: 0, hits: 0 })
    area.words += words
    area.hits += faults.filter(({ kind }) => kind === 'markers').length
  }
  return { files, areas }
}

function areaOf(file: string): string {
  if (file.endsWith('.md')) return 'pages'
  if (/(?:^|\/)test\//.test(file)) return 'test'
  return /^(?:src|packages)\//.test(file) ? 'code' : file.split('/')[0]!
}

export const rateOf = ({ words, hits }: Area) => (words === 0 ? 0 : (1000 * hits) / words)

/** The rates to reach, in markers per 1,000 words. */
export const goals = { code: 2, pages: 1 } as const
const limited = ['code', 'pages'] as const

export type Debt = { readonly [kind in Kind]?: number }

/** The content of `english-debt.json`. Its figures may only shrink. */
export interface Ledger {
  readonly limits: Readonly<Record<keyof typeof goals, number>>
  readonly files: Readonly<Record<string, Debt>>
}

const countOf = (faults: readonly Fault[] | undefined, kind: Kind) =>
  faults?.filter((fault) => fault.kind === kind).length ?? 0

/** The worst file comes first. */
export function complaintsOf(ledger: Ledger, { files, areas }: Survey): string[] {
  const complaints: { excess: number; text: string }[] = []
  for (const key of new Set([...Object.keys(ledger.files), ...files.keys()]))
    for (const kind of kinds) {
      const now = countOf(files.get(key), kind)
      const before = ledger.files[key]?.[kind] ?? 0
      const text = `${key}: ${now} ${nameOf[kind]}, ${before} in the debt`
      if (now < before)
        complaints.push({ excess: 0, text: `${text}: run \`pnpm english --write\` to lower the figure` })
      if (now <= before) continue
      const faults = files.get(key)!.filter((fault) => fault.kind === kind)
      const shown = faults.slice(0, 10).map(inOneLine)
      const rest = faults.length > 10 ? ['  (`pnpm english <file>` lists all)'] : []
      complaints.push({ excess: now - before, text: [`${text}: rewrite`, ...shown, ...rest].join('\n') })
    }
  for (const area of limited) {
    const rate = rateOf(areas[area] ?? { words: 0, hits: 0 })
    const limit = ledger.limits[area]
    const text = `${area}: ${rate.toFixed(2)} markers per 1,000 words, ${limit} allowed; the goal is ${goals[area]}`
    if (rate > limit) complaints.push({ excess: Number.POSITIVE_INFINITY, text })
  }
  return complaints.sort((a, b) => (a.excess === b.excess ? 0 : b.excess - a.excess)).map(({ text }) => text)
}

export const inOneLine = ({ file, line, text }: Fault) => `  ${file}:${line} ${text}`

/**
 * The output of `pnpm english <file>…`, and its exit code: 0 if there are no faults, 1 if there are
 * some, 2 if a file is not one of `sources`. Paths are relative to the package.
 */
export function reportOn(
  files: readonly string[],
  sources: ReadonlyMap<string, string>,
): { readonly lines: readonly string[]; readonly exitCode: 0 | 1 | 2 } {
  const unread = files.filter((file) => !sources.has(file))
  if (unread.length > 0) return { lines: unread.map((file) => `${file}: not a checked file`), exitCode: 2 }
  const faults = files.flatMap((file) => faultsOf(file, sources.get(file)!).faults)
  return { lines: faults.map((fault) => inOneLine(fault).trim()), exitCode: faults.length > 0 ? 1 : 0 }
}

/** Leaves 5 % because a deletion of plain text raises the rate. */
const limitFor = (rate: number, goal: number) => Math.max(goal, Math.ceil(rate * 10.5) / 10)

/** Used if the project has no ledger yet. */
export function firstLedger(survey: Survey): Ledger {
  const unlimited = { code: Number.POSITIVE_INFINITY, pages: Number.POSITIVE_INFINITY }
  const files = [...survey.files].map(([key, faults]) => [key, debtOf(faults)] as const)
  return lowered({ limits: unlimited, files: Object.fromEntries(files) }, survey)
}

const debtOf = (faults: readonly Fault[]) => perKind((kind) => countOf(faults, kind))

/**
 * Lowers each figure to the present number of faults. A moved file takes its debt along: an
 * unlisted file gets the debt of a vanished file with the same name, or else a part of the debt of
 * the remaining vanished files. No total rises.
 */
export function lowered(ledger: Ledger, { files, areas }: Survey): Ledger {
  const debts = new Map<string, Debt>()
  const vanished = new Map(Object.entries(ledger.files).filter(([key]) => !files.has(key)))
  const moved: [key: string, debt: Debt][] = []
  for (const [key, faults] of [...files].sort(byKey)) {
    const now = debtOf(faults)
    const before = ledger.files[key]
    if (before !== undefined) debts.set(key, smaller(now, before))
    else if (Object.keys(now).length > 0) moved.push([key, now])
  }
  const homeless = moved.filter(([key, debt]) => {
    const sameName = [...vanished].filter(([other, old]) => baseName(other) === baseName(key) && covers(old, debt))
    const [closest] = sameName.sort(([, a], [, b]) => total(a) - total(b))
    if (closest !== undefined) {
      debts.set(key, debt)
      vanished.delete(closest[0])
    }
    return closest === undefined
  })
  let left = [...vanished.values()].reduce((sum, debt) => combined(sum, debt, 1), {})
  for (const [key, debt] of homeless)
    if (covers(left, debt)) {
      debts.set(key, debt)
      left = combined(left, debt, -1)
    }
  const limits = limited.map((area) => {
    const limit = limitFor(rateOf(areas[area] ?? { words: 0, hits: 0 }), goals[area])
    return [area, Math.min(ledger.limits[area], limit)] as const
  })
  const listed = [...debts].filter(([, debt]) => total(debt) > 0).sort(byKey)
  return { limits: Object.fromEntries(limits) as unknown as Ledger['limits'], files: Object.fromEntries(listed) }
}

const byKey = ([a]: readonly [string, unknown], [b]: readonly [string, unknown]) => (a < b ? -1 : 1)
const baseName = (file: string) => path.posix.basename(file)
const total = (debt: Debt) => Object.values(debt).reduce((sum, count) => sum + count, 0)

function perKind(figure: (kind: Kind) => number): Debt {
  const figures = kinds.map((kind) => [kind, figure(kind)] as const)
  return Object.fromEntries(figures.filter(([, count]) => count > 0))
}

const smaller = (a: Debt, b: Debt) => perKind((kind) => Math.min(a[kind] ?? 0, b[kind] ?? 0))
const combined = (a: Debt, b: Debt, sign: 1 | -1) => perKind((kind) => (a[kind] ?? 0) + sign * (b[kind] ?? 0))
const covers = (large: Debt, small: Debt) => kinds.every((kind) => (small[kind] ?? 0) <= (large[kind] ?? 0))

/** One line for each file, so that changes merge well. */
export function ledgerText({ limits, files }: Ledger): string {
  const spaced = (figures: Debt | Ledger['limits']) => {
    const fields = Object.entries(figures).map(([name, figure]) => `${JSON.stringify(name)}: ${figure}`)
    return `{ ${fields.join(', ')} }`
  }
  const lines = Object.entries(files).map(([key, debt]) => `    ${JSON.stringify(key)}: ${spaced(debt)}`)
  return `{\n  "limits": ${spaced(limits)},\n  "files": {\n${lines.join(',\n')}\n  }\n}\n`
}

const folders = [
  ...['src', 'packages', 'lua', 'bin', 'bench', 'tools', 'scenarios', 'implementations', 'examples'],
  ...['clients', 'test', 'docs'],
]

/**
 * Reads every file with prose. The changelog is exempt because its old entries are not rewritten,
 * and the test of this file because it quotes bad sentences.
 */
export function readSources(): Map<string, string> {
  const names = ['README.md', 'CONTRIBUTING.md']
  const walk = (folder: string) => {
    for (const entry of fs.readdirSync(path.join(packageFolder, folder), { withFileTypes: true })) {
      const name = `${folder}/${entry.name}`
      if (entry.isDirectory()) {
        if (!/^(?:node_modules|dist|reports)$/.test(entry.name)) walk(name)
      } else if (/\.(?:[cm]?[jt]s|lua|sh|py|go|md)$/.test(name) && !name.endsWith('CHANGELOG.md')) names.push(name)
    }
  }
  for (const folder of folders) if (fs.existsSync(path.join(packageFolder, folder))) walk(folder)
  const own = names.filter((name) => debtKey(name) !== 'test/architecture/plain-english.test.ts')
  return new Map(own.map((name) => [name, fs.readFileSync(path.join(packageFolder, name), 'utf8')]))
}

export const ledgerFile = path.join(packageFolder, 'test/architecture/english-debt.json')
