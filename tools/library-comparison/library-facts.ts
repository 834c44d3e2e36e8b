/**
 * Parses the header of a library's adapter: the library's promises, their source, and an
 * explanation for each break.
 */
import fs from 'node:fs'
import path from 'node:path'
import { catalogue, isLibrary, packageFolder } from '../../src/cli/catalogue.ts'
import { capital } from '../../src/report/figures.ts'
import { type Asked, allAsked } from './asked.ts'

/** Explains why a library broke for a question, in one sentence that names the documentation. */
export interface Left {
  readonly asked: Asked
  /**
   * True if the scenario goes beyond the documentation's assumptions; false if a promise was
   * broken.
   */
  readonly beyond: boolean
  readonly sentence: string
}

export interface LibraryFacts {
  /** The adapter's id. */
  readonly id: string
  /** The value of `--impl`: the id, or a program. */
  readonly impl: string
  /** The packages, each with its exact version: `redlock 4.2.0`. */
  readonly packages: readonly string[]
  readonly promises: string
  readonly saidIn: string
  readonly used: string
  readonly left: readonly Left[]
}

/**
 * The facts of every adapter in the catalogue, sorted by id.
 * @throws if a header lacks a fact, or a package is not pinned
 */
export function allFacts(): LibraryFacts[] {
  const { devDependencies, dependencies } = JSON.parse(
    fs.readFileSync(path.join(packageFolder, 'package.json'), 'utf8'),
  ) as Record<'dependencies' | 'devDependencies', Record<string, string>>
  const pinned = { ...dependencies, ...devDependencies }
  const inNode = catalogue('implementation')
    .filter(isLibrary)
    .map(({ id, path: file }) => factsOf(id, fs.readFileSync(file, 'utf8'), pinned))
  return [...inNode, ...pythonFacts()].sort((a, b) => (a.id < b.id ? -1 : 1))
}

const ours = 'implementations/third-party'

/** The facts of Python adapters. For example, the id of `redis_py_lock.py` is `redis-py-lock`. */
function pythonFacts(): LibraryFacts[] {
  const files = fs.readdirSync(path.join(packageFolder, ours)).filter((file) => file.endsWith('.py'))
  return files.map((file) => {
    const source = fs.readFileSync(path.join(packageFolder, ours, file), 'utf8')
    return {
      ...factsOf(file.replace('.py', '').replaceAll('_', '-'), source, {}),
      impl: `exec:python3 ${ours}/${file}`,
    }
  })
}

/**
 * Parses the header in `source`. `pinned`: versions by package.
 * @throws like `allFacts`
 */
export function factsOf(id: string, source: string, pinned: Readonly<Record<string, string>>): LibraryFacts {
  const [, , comment] = /^(\/\*\*|""")\n([\s\S]*?)\n(?: \*\/|""")/.exec(source) ?? []
  if (comment === undefined) throw new Error(`${id}: it has no header`)
  const parts = comment.replace(/^ \* ?/gm, '').split(/^(?=(?:Library|Promises|Said in|Used|Left):)/m)
  const fact = (name: string): string => {
    const found = parts.find((part) => part.startsWith(`${name}:`))?.slice(name.length + 1)
    if (found === undefined || found.trim() === '') throw new Error(`${id}: its header has no "${name}:"`)
    return found
  }
  return {
    id,
    impl: id,
    packages: oneLine(fact('Library'))
      .split(', ')
      .map((name) => versioned(id, name, pinned[name])),
    promises: capital(oneLine(fact('Promises'))),
    saidIn: capital(oneLine(fact('Said in'))),
    used: capital(oneLine(fact('Used'))),
    left: leftOf(id, fact('Left')),
  }
}

/**
 * Parses the list of a header: `- crash, beyond: …` or `- copies, promised: …`; an indented line
 * continues its item.
 */
function leftOf(id: string, list: string): Left[] {
  return list
    .split(/^- /m)
    .slice(1)
    .map((item) => {
      const [, asked, how, sentence] = /^([\w ]+), (beyond|promised): ([\s\S]+)$/.exec(item) ?? []
      if (sentence === undefined || !allAsked.includes(asked as Asked))
        throw new Error(`${id}: "- ${oneLine(item)}" should be "- <what is asked>, beyond|promised: <sentence>"`)
      return { asked: asked as Asked, beyond: how === 'beyond', sentence: oneLine(sentence) }
    })
}

/**
 * `npm:redlock@4.2.0` is an alias. `python3-redis 4.3.4` is a Debian package, whose version is not
 * pinned here.
 */
function versioned(id: string, name: string, version: string | undefined): string {
  if (/^python3-[\w-]+ \d[\d.]*$/.test(name)) return name
  const [, real, exact] = /^(?:npm:(.+)@)?(\d+\.\d+\.\d+(?:-[\w.]+)?)$/.exec(version ?? '') ?? []
  if (exact === undefined) throw new Error(`${id}: package.json should pin ${name} to one version`)
  return `${real ?? name} ${exact}`
}

const oneLine = (text: string): string => text.trim().replace(/\s*\n\s*/g, ' ')
