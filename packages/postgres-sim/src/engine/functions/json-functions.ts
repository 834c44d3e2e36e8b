import { toJson } from '../expressions/json-operators.ts'
import { SqlError } from '../sql-error.ts'
import { formatJsonb, isObject, type Jsonb, jsonbObject, kindOf, parseJson } from '../values/jsonb.ts'
import { arrayOf, type Type, types } from '../values/types.ts'
import { JsonbValue, type Value } from '../values/value.ts'
import type { SqlFunction } from './function.ts'

const { jsonb, json, text, int4 } = types
const jsonOf = (value: Value): Jsonb => (value instanceof JsonbValue ? value.json : parseJson(value as string))

function pairs(args: readonly Value[], given: readonly Type[]): [string, Jsonb][] {
  if (args.length % 2 === 1) {
    throw new SqlError('22023', 'argument list must have even number of elements', {
      hint: 'The arguments of jsonb_build_object() must consist of alternating keys and values.',
    })
  }
  const found: [string, Jsonb][] = []
  for (let i = 0; i < args.length; i += 2) {
    if (args[i] === null) throw new SqlError('22023', `argument ${i + 1}: key must not be null`)
    found.push([given[i]!.write(args[i]!), toJson(args[i + 1]!, given[i + 1]!)])
  }
  return found
}

function setAt(target: Jsonb, path: readonly string[], value: Jsonb, create: boolean): Jsonb {
  const [step, ...rest] = path
  if (step === undefined) return target
  if (isObject(target)) {
    const before = target.get(step)
    if (before === undefined && (!create || rest.length > 0)) return target
    return jsonbObject([...target, [step, rest.length === 0 ? value : setAt(before!, rest, value, create)]])
  }
  if (Array.isArray(target)) {
    const items = [...(target as readonly Jsonb[])]
    if (!/^-?\d+$/.test(step)) throw new SqlError('22P02', `path element at position 1 is not an integer: "${step}"`)
    const index = Number(step) < 0 ? items.length + Number(step) : Number(step)
    if (index >= 0 && index < items.length)
      items[index] = rest.length === 0 ? value : setAt(items[index]!, rest, value, create)
    else if (create && rest.length === 0) index < 0 ? items.unshift(value) : items.push(value)
    return items
  }
  return target
}

const typeofFunction = (name: string, type: Type): SqlFunction => ({
  name,
  args: [type],
  result: text,
  call: ([value]) => kindOf(jsonOf(value!)),
})

/** The functions of https://www.postgresql.org/docs/15/functions-json.html */
export const jsonFunctions: readonly SqlFunction[] = [
  {
    name: 'to_jsonb',
    args: [],
    variadic: true,
    mutable: true,
    result: jsonb,
    call: ([value], _, [type]) => new JsonbValue(toJson(value!, type!)),
  },
  {
    name: 'jsonb_build_object',
    args: [],
    variadic: true,
    mutable: true,
    takesNull: true,
    result: jsonb,
    call: (args, _, given) => new JsonbValue(jsonbObject(pairs(args, given))),
  },
  {
    ...{ name: 'json_build_object', args: [], variadic: true, mutable: true, takesNull: true, result: json },
    call: (args, _, given) =>
      `{${pairs(args, given)
        .map(([key, value]) => `${JSON.stringify(key)} : ${formatJsonb(value)}`)
        .join(', ')}}`,
  },
  {
    ...{ name: 'jsonb_build_array', args: [], variadic: true, mutable: true, takesNull: true, result: jsonb },
    call: (args, _, given) => new JsonbValue(args.map((value, i) => toJson(value, given[i]!))),
  },
  typeofFunction('jsonb_typeof', jsonb),
  typeofFunction('json_typeof', json),
  {
    ...{ name: 'jsonb_array_length', args: [jsonb], result: int4 },
    call([value]) {
      const found = jsonOf(value!)
      if (Array.isArray(found)) return found.length
      throw new SqlError('22023', `cannot get array length of ${isObject(found) ? 'a non-array' : 'a scalar'}`)
    },
  },
  ...[3, 4].map(
    (count): SqlFunction => ({
      name: 'jsonb_set',
      args: [jsonb, arrayOf(text)!, jsonb, types.bool].slice(0, count),
      result: jsonb,
      call: ([target, path, value, create]) =>
        new JsonbValue(setAt(jsonOf(target!), path as readonly string[], jsonOf(value!), create !== false)),
    }),
  ),
  {
    ...{ name: 'jsonb_strip_nulls', args: [jsonb], result: jsonb },
    call: ([value]) => new JsonbValue(stripped(jsonOf(value!))),
  },
]

function stripped(json: Jsonb): Jsonb {
  if (isObject(json))
    return jsonbObject([...json].filter(([, value]) => value !== null).map(([key, value]) => [key, stripped(value)]))
  return Array.isArray(json) ? json.map(stripped) : json
}
