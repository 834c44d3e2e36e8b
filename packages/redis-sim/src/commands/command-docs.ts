/** COMMAND DOCS. Source: server.c of Redis 7.0. */

import { readFileSync } from 'node:fs'
import type { CommandTable } from '../acl/categories.ts'
import { MapReply, type Reply, SetReply, StatusReply } from '../resp/reply.ts'

type Doc = string | number | { readonly [name: string]: Doc } | readonly Doc[]

/**
 * The docs of commands and subcommands by full name. They are loaded on first use, because few runs
 * need them.
 */
let docs: ReadonlyMap<string, Reply> | undefined

function readDocs(): ReadonlyMap<string, Reply> {
  const found = new Map<string, Reply>()
  const text = readFileSync(new URL('../command-docs.json', import.meta.url), 'utf8')
  for (const [name, doc] of Object.entries(JSON.parse(text) as Record<string, { subcommands?: Record<string, Doc> }>)) {
    found.set(name, describe(doc as Doc))
    for (const [subcommand, part] of Object.entries(doc.subcommands ?? {})) found.set(subcommand, describe(part))
  }
  return found
}

/** `name` is the member that holds `doc`. */
function describe(doc: Doc, name = ''): Reply {
  if (typeof doc !== 'object') return doc
  if (!Array.isArray(doc)) return new MapReply(Object.entries(doc).flatMap(([key, part]) => [key, describe(part, key)]))
  if (name === 'flags' || name === 'doc_flags') return new SetReply(doc.map((flag) => new StatusReply(String(flag))))
  const parts = (doc as readonly Doc[]).map((part) => describe(part))
  return name === 'history' ? new SetReply(parts) : parts
}

/** Docs of the named commands that exist; of all commands if none is named. */
export function docsOf(table: CommandTable, args: readonly string[]): Reply {
  docs ??= readDocs()
  const asked = args.length === 2 ? [...table.keys()] : args.slice(2).map((name) => name.toLowerCase())
  return new MapReply(asked.flatMap((name) => (docs!.has(name) ? [name, docs!.get(name)!] : [])))
}
