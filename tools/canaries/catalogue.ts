import fs from 'node:fs'
import path from 'node:path'
import { fileURLToPath, pathToFileURL } from 'node:url'
import type { Mutant } from '../../src/contract/api/canary.ts'

/** The package's folder. */
export const packageFolder = fileURLToPath(new URL('../../', import.meta.url))

const folder = path.join(packageFolder, 'implementations/canaries')

/** Every mutant of the reference, on Redis and on PostgreSQL, sorted by file name. */
export async function mutants(): Promise<Mutant[]> {
  const onPostgres = fs.readdirSync(folder).filter((file) => file.startsWith('canary-postgres-'))
  const files = [
    ...onPostgres.sort(),
    ...fs
      .readdirSync(path.join(folder, 'mutants'))
      .sort()
      .map((file) => `mutants/${file}`),
  ]
  const modules = files.map(
    (file) => import(pathToFileURL(path.join(folder, file)).href) as Promise<{ default: Mutant }>,
  )
  return (await Promise.all(modules)).map((module) => module.default)
}

export const guaranteesPage = path.join(packageFolder, 'docs/reference/guarantees.md')
export const canariesPage = path.join(packageFolder, 'docs/findings/canaries.md')

/** The text between two marks of a page, and a function that replaces the text. */
export function between(page: string, mark: string): { readonly text: string; replaced(text: string): string } {
  const [start, end] = [`<!-- ${mark} -->\n`, `\n<!-- end of ${mark} -->`]
  const from = page.indexOf(start) + start.length
  const to = page.indexOf(end)
  if (from < start.length || to === -1)
    throw new Error(`the page has no part between "${start.trim()}" and "${end.trim()}"`)
  return { text: page.slice(from, to), replaced: (text) => page.slice(0, from) + text + page.slice(to) }
}
