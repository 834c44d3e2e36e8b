import { serialization } from '../errors.ts'
import type { Shape, Structure } from './shape.ts'

type Json = unknown
type Members = Record<string, unknown>

const namespace = 'com.amazonaws.dynamodb.v20120810.'

/**
 * Reads the members defined by the shape, each with its JSON type. Null and unknown members are
 * omitted.
 * @throws ServiceError SerializationException
 */
export function readMembers({ members, name }: Structure, json: Json, within: 'structure' | 'collection'): Members {
  if (typeof json !== 'object' || json === null)
    throw serialization(within === 'structure' ? 'Unexpected field type' : 'Unexpected value type in payload')
  if (Array.isArray(json)) throw serialization(`Unrecognized collection type class ${namespace}${name}`)
  const read = Object.entries(members).flatMap(([member, shape]) => {
    const value = Object.hasOwn(json, member) ? (json as Members)[member] : null
    return value === null || value === undefined ? [] : [[member, readValue(shape, value, 'structure')] as const]
  })
  return Object.fromEntries(read)
}

function readValue(shape: Shape, json: Json, within: 'structure' | 'collection'): unknown {
  switch (shape.kind) {
    case 'text':
      return scalar(json, 'String', 'string')
    case 'integer':
    case 'long':
      return Math.floor(scalar(json, shape.kind === 'integer' ? 'Integer' : 'Long', 'number') as number)
    case 'boolean':
      return readTruth(json)
    case 'list':
      return readList(json, (member) => readValue(shape.of, member, 'collection'))
    case 'map':
      return readMap(json, shape.ofName, (member) => readValue(shape.of, member, 'collection'))
    case 'attribute value':
      return readAttribute(json, within)
    default:
      return readMembers(shape, json, within)
  }
}

function scalar(json: Json, name: string, type: 'string' | 'number'): unknown {
  if (typeof json === type) return json
  refuseCollection(json, `java.lang.${name}`)
  throw serialization(`${jsonName(json)} cannot be converted to ${name}`)
}

function jsonName(json: Json): string {
  if (typeof json === 'boolean') return json ? 'TRUE_VALUE' : 'FALSE_VALUE'
  if (typeof json === 'string') return 'STRING_VALUE'
  return Number.isInteger(json) ? 'NUMBER_VALUE' : 'DECIMAL_VALUE'
}

function refuseCollection(json: Json, javaClass: string): void {
  if (typeof json !== 'object') return
  throw serialization(
    Array.isArray(json)
      ? `Unrecognized collection type class ${javaClass}`
      : 'Start of structure or map found where not expected',
  )
}

function readTruth(json: Json): boolean {
  if (typeof json === 'boolean') return json
  refuseCollection(json, 'java.lang.Boolean')
  if (typeof json === 'number') throw serialization(`${jsonName(json)} cannot be converted to Boolean`)
  const word = String(json).toUpperCase()
  if (['TRUE', '1', 'YES'].includes(word)) return true
  if (['FALSE', '0', 'NO'].includes(word)) return false
  throw serialization('Unexpected token received from parser')
}

function readList(json: Json, read: (member: Json) => unknown): unknown[] {
  if (typeof json !== 'object') throw serialization('Unexpected field type')
  if (!Array.isArray(json)) throw serialization('Start of structure or map found where not expected')
  return json.map(read)
}

function readMap(json: Json, ofName: string, read: (member: Json) => unknown): Members {
  if (typeof json !== 'object') throw serialization('Unexpected field type')
  if (Array.isArray(json))
    throw serialization(`Unrecognized collection type java.util.Map<java.lang.String, ${ofName}>`)
  return Object.fromEntries(Object.entries(json as Members).map(([name, member]) => [name, read(member)]))
}

function readBytes(json: Json): string {
  if (typeof json === 'object') refuseCollection(json, 'java.nio.ByteBuffer')
  if (typeof json !== 'string') throw serialization('only base-64-encoded strings are convertible to bytes')
  if (json.length % 4 !== 0)
    throw serialization(`Base64 encoded length is expected a multiple of 4 bytes but found: ${json.length}`)
  if (Buffer.from(json, 'base64').toString('base64') !== json)
    throw serialization('Invalid last non-pad Base64 character dectected')
  return json
}

const bytes = (json: Json) => readBytes(json)
const word = (json: Json) => scalar(json, 'String', 'string')

const attributeMembers: Readonly<Record<string, (json: Json) => unknown>> = {
  S: word,
  B: bytes,
  N: word,
  BOOL: readTruth,
  NULL: readTruth,
  BS: (json) => readList(json, bytes),
  NS: (json) => readList(json, word),
  SS: (json) => readList(json, word),
  L: (json) => readList(json, (member) => readAttribute(member, 'collection')),
  M: (json) => readMap(json, `${namespace}AttributeValue`, (member) => readAttribute(member, 'collection')),
}

function readAttribute(json: Json, within: 'structure' | 'collection'): Members {
  if (typeof json !== 'object' || json === null)
    throw serialization(within === 'structure' ? 'Unexpected field type' : 'Unexpected value type in payload')
  if (Array.isArray(json)) throw serialization(`Unrecognized collection type class ${namespace}AttributeValue`)
  const read = Object.entries(attributeMembers).flatMap(([type, readMember]) => {
    const value = (json as Members)[type]
    return value === null || value === undefined ? [] : [[type, readMember(value)] as const]
  })
  return Object.fromEntries(read)
}
