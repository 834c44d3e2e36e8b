import type { CreateFunctionStmt } from 'libpg-query'
import type { Backend } from '../backend.ts'
import { partsOf, qualified, type UserFunction } from '../catalog/relations.ts'
import { namedType } from '../expressions/type-names.ts'
import { parseBody } from '../plpgsql/parse-body.ts'
import { runBody } from '../plpgsql/run-body.ts'
import { SqlError, UnsupportedSql } from '../sql-error.ts'
import { types } from '../values/types.ts'
import { mustHaveSchema, stringOf } from './names.ts'

/** Executes CREATE FUNCTION for PL/pgSQL functions that return void. */
export function createFunction(
  backend: Backend,
  node: CreateFunctionStmt,
  runUtility: Parameters<typeof runBody>[1]['runUtility'],
): void {
  const { catalog } = backend.database
  if (node.is_procedure || node.sql_body) throw new UnsupportedSql('CREATE FUNCTION with a body of SQL, or a procedure')
  const names = (node.funcname ?? []).map(stringOf)
  const key = qualified(names.at(-2), names.at(-1)!)
  mustHaveSchema(backend, key)
  const { schema, name } = partsOf(key)
  if (schema === 'public') throw new UnsupportedSql('CREATE FUNCTION in the schema public')
  const options = new Map(
    (node.options ?? []).flatMap((one) => ('DefElem' in one ? [[one.DefElem.defname!, one.DefElem.arg] as const] : [])),
  )
  const language = options.get('language')
  const words = language ? stringOf(language) : ''
  if (words !== 'plpgsql') throw new UnsupportedSql(`CREATE FUNCTION in the language ${words}`)
  const unknown = [...options.keys()].find((one) => one !== 'language' && one !== 'as')
  if (unknown !== undefined) throw new UnsupportedSql(`CREATE FUNCTION with ${unknown}`)
  if (!node.returnType || stringOf(node.returnType.names!.at(-1)!) !== 'void' || node.returnType.setof)
    throw new UnsupportedSql('CREATE FUNCTION with a result')
  const args = (node.parameters ?? []).map((one) => {
    const parameter = 'FunctionParameter' in one ? one.FunctionParameter : {}
    const plain = parameter.mode === 'FUNC_PARAM_DEFAULT' || parameter.mode === 'FUNC_PARAM_IN'
    if (!plain || parameter.defexpr || !parameter.name)
      throw new UnsupportedSql('CREATE FUNCTION with such an argument')
    return { name: parameter.name, type: namedType(backend, parameter.argType!).type }
  })
  if (args.some(({ type }) => type === types.void)) throw new UnsupportedSql('an argument of type void')
  const title = `${key}(${args.map(({ type }) => type.title).join(',')})`
  const known = catalog.function(backend, key)
  if (known && known.title !== title) throw new UnsupportedSql(`a second function ${key}()`)
  if (known && !node.replace) throw new SqlError('42723', `function "${name}" already exists with same argument types`)
  if (known) throw new UnsupportedSql('CREATE OR REPLACE of a function that is there')
  const as = options.get('as')
  const body = as && 'List' in as ? stringOf((as.List.items ?? [])[0]!) : ''
  const called = { title, args, body: parseBody(body), runUtility }
  const made: UserFunction = { title, args, run: (by, values) => runBody(by, called, values) }
  catalog.addOther({ kind: 'function', oid: catalog.newOid(), key, thing: made, xmin: backend.currentXid(), xmax: 0 })
}
