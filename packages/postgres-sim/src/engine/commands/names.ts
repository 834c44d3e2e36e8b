import type { Node, RangeVar } from 'libpg-query'
import type { Backend } from '../backend.ts'
import { partsOf, qualified, type Relation } from '../catalog/relations.ts'
import { relationTag } from '../locks/lock-tag.ts'
import type { Mode } from '../locks/modes.ts'
import type { Running } from '../run.ts'
import { SqlError, UnsupportedSql } from '../sql-error.ts'

/** The catalog key of a relation. */
export function relationName({ relname, schemaname, relpersistence }: RangeVar): string {
  if (schemaname === 'pg_catalog' || schemaname === 'information_schema')
    throw new UnsupportedSql(`${schemaname}.${relname}`)
  if (`${schemaname ?? ''}${relname}`.includes('.')) throw new UnsupportedSql('a name with a dot in it')
  if (relpersistence && relpersistence !== 'p') throw new UnsupportedSql('a temporary or unlogged table')
  if (/^pg_/.test(relname!)) throw new UnsupportedSql(relname!)
  return qualified(schemaname, relname!)
}

/** Checks that the schema of an object to be created exists. @throws SqlError 3F000 */
export function mustHaveSchema(backend: Backend, key: string, position?: number): void {
  if (backend.database.catalog.hasSchemaOf(backend, key)) return
  throw new SqlError(
    '3F000',
    `schema "${partsOf(key).schema}" does not exist`,
    position === undefined ? {} : { position },
  )
}

/** Parses a name the way `regclass` does and returns its key. Null if the text is not a name. */
export function keyInText(text: string): string | null {
  const found = /^(?:("?)([^".\s]+)\1\.)?("?)([^".\s]+)\3$/.exec(text.trim())
  if (!found) return null
  const folded = (quote: string | undefined, name: string) => (quote === '"' ? name : name.toLowerCase())
  return qualified(found[2] === undefined ? null : folded(found[1], found[2]), folded(found[3], found[4]!))
}

export function stringOf(node: Node): string {
  return 'String' in node ? (node.String.sval ?? '') : ''
}

/**
 * Returns true if IF NOT EXISTS lets CREATE skip an existing relation.
 * @throws SqlError if the relation exists and IF NOT EXISTS is missing
 */
export function isThere(backend: Backend, name: string, mayBe: boolean | undefined, position?: number): boolean {
  mustHaveSchema(backend, name, position)
  if (!backend.database.catalog.find(backend, name)) return false
  const message = `relation "${partsOf(name).name}" already exists`
  if (!mayBe) throw new SqlError('42P07', message)
  backend.notice({ severity: 'NOTICE', code: '42P07', message: `${message}, skipping` })
  return true
}

/**
 * Waits for other transactions that create a relation of the same name. If one of them commits,
 * throws the error of the catalog's unique index.
 */
export function* nameIsFree(backend: Backend, name: string, kind: 'table' | 'index' | 'sequence'): Running<void> {
  const { catalog } = backend.database
  for (;;) {
    const pending = catalog.pending(backend, name)
    if (!pending) return
    yield* backend.waitForTransaction(pending.xmin, catalogContext(kind))
    if (!catalog.find(backend, name)) continue
    const [index, table] =
      kind === 'table' ? ['pg_type_typname_nsp_index', 'pg_type'] : ['pg_class_relname_nsp_index', 'pg_class']
    const columns = kind === 'table' ? 'typname, typnamespace' : 'relname, relnamespace'
    throw new SqlError('23505', `duplicate key value violates unique constraint "${index}"`, {
      detail: `Key (${columns})=(${partsOf(name).name}, ${catalog.schema(backend, partsOf(name).schema)?.oid ?? 2200}) already exists.`,
      schema: 'pg_catalog',
      table: table!,
      constraint: index!,
    })
  }
}

function catalogContext(kind: string): string {
  return `while inserting index tuple (0,0) in relation "${kind === 'table' ? 'pg_type_typname_nsp_index' : 'pg_class_relname_nsp_index'}"`
}

export function* lockRelation(backend: Backend, relation: Relation, mode: Mode): Running<void> {
  const tag = relationTag(relation.oid)
  if (!backend.database.locks.holds(backend, tag, mode)) yield* backend.lock(tag, mode, 'transaction')
}

/** Locks the relation of this name. Repeats the lookup if the catalog has changed while waiting. */
export function* findLocked(backend: Backend, name: string, mode: Mode, nowait = false): Running<Relation | null> {
  const { catalog } = backend.database
  for (;;) {
    const found = catalog.find(backend, name)
    if (!found) return null
    if (nowait) {
      if (!backend.tryLock(relationTag(found.oid), mode, 'transaction')) {
        throw new SqlError('55P03', `could not obtain lock on relation "${name}"`)
      }
    } else yield* lockRelation(backend, found, mode)
    if (catalog.find(backend, name) === found) return found
  }
}
