import fs from 'node:fs'
import path from 'node:path'
import { expect, it } from 'vitest'
import { anchorOf } from '../../src/contract/results/heading-anchor.ts'
import { packageFolder, pagesOf } from './pages.ts'

/** Links of a page to a missing file or heading of the project. Links to the web are ignored. */
function brokenLinks(page: string, text: string, textOf: (file: string) => string | null): string[] {
  const links = [...text.matchAll(/\]\((?!https?:)([^)#\s]*)(?:#([^)\s]+))?\)/g)]
  return links.flatMap(([, to = '', heading]) => {
    const file = to === '' ? page : path.posix.join(path.posix.dirname(page), to)
    const target = textOf(file)
    if (target === null) return [`${page}: ${to}`]
    if (heading === undefined) return []
    const headings = [...target.matchAll(/^#+ (.*)$/gm)].map(([, one]) => anchorOf(one!))
    return headings.includes(heading) ? [] : [`${page}: ${to}#${heading}`]
  })
}

const onDisk = (file: string) => {
  const place = path.join(packageFolder, file)
  if (!fs.existsSync(place)) return null
  return fs.statSync(place).isFile() ? fs.readFileSync(place, 'utf8') : ''
}

it('every link on a page leads to an existing file and heading', () => {
  const broken = pagesOf().flatMap((page) => brokenLinks(page, onDisk(page)!, onDisk))
  expect(broken).toEqual([])
})

it('a broken link is reported', () => {
  const files: Record<string, string> = { 'docs/a.md': '# One two', 'b.md': '' }
  const textOf = (file: string) => files[file] ?? null
  expect(brokenLinks('docs/a.md', '[x](../b.md) [y](a.md#one-two) [z](#one-two) [w](https://a.b/c)', textOf)).toEqual(
    [],
  )
  expect(brokenLinks('docs/a.md', '[x](b.md) [y](a.md#two)', textOf)).toEqual([
    'docs/a.md: b.md',
    'docs/a.md: a.md#two',
  ])
})

/** Paths of the project in backticks, with `{a,b}` expanded. */
function pathsIn(text: string): string[] {
  const named = text.matchAll(/`((?:src|test|packages|tools|bench|scenarios|implementations|bin)\/[^`\s<…*]*)`/g)
  const expanded = (name: string): string[] => {
    const [whole, parts] = /\{([^}]*)\}/.exec(name) ?? []
    return whole === undefined ? [name] : parts!.split(',').flatMap((part) => expanded(name.replace(whole, part)))
  }
  return [...named].flatMap(([, name]) => expanded(name!.replace(/[:#].*$/, '')))
}

/** Paths of other projects, and a placeholder for a scenario. */
const elsewhere = /\.zig$|^src\/test\/isolation|^scenarios\/x\.ts$/

function missingPaths(page: string, text: string, exists: (file: string) => boolean): string[] {
  return pathsIn(text)
    .filter((name) => ![name, path.posix.join(path.posix.dirname(page), name)].some(exists) && !elsewhere.test(name))
    .map((name) => `${page}: ${name}`)
}

it('every path on a page exists', () => {
  const current = pagesOf().filter((page) => !/CHANGELOG|decisions\//.test(page))
  expect(current.flatMap((page) => missingPaths(page, onDisk(page)!, (file) => onDisk(file) !== null))).toEqual([])
})

it('a missing path is reported', () => {
  const files = ['src/a.ts', 'packages/x/src/b.ts']
  const missing = (page: string, text: string) => missingPaths(page, text, (file) => files.includes(file))
  expect(missing('docs/a.md', 'In `src/{a,c}.ts:12`, `test/<name>.ts` and `src/a.ts`.')).toEqual([
    'docs/a.md: src/c.ts',
  ])
  expect(missing('packages/x/README.md', '`src/b.ts`')).toEqual([])
})
