import { badBody, errors } from './api-error.ts'
import { kinds } from './toxics/index.ts'
import type { ToxicKind } from './toxics/kind.ts'

/** `upstream`: what the client sends; `downstream`: what the server answers. */
export type Direction = 'upstream' | 'downstream'

export interface Toxic {
  readonly name: string
  readonly type: string
  /** As it was spelled; `direction` is what it means. */
  readonly stream: string
  readonly direction: Direction
  /** The probability that it applies to a link. */
  toxicity: number
  readonly attributes: Record<string, number>
  readonly kind: ToxicKind
}

type Fields = Readonly<Record<string, unknown>>

/** A new toxic from the body of a request. Throws `ApiError`. */
export function parseToxic(body: Fields, isTaken: (name: string) => boolean): Toxic {
  const type = textOf(body, 'type', '')
  const stream = textOf(body, 'stream', 'downstream')
  const toxicity = toxicityOf(body, 1)
  const direction = stream.toLowerCase()
  if (direction !== 'upstream' && direction !== 'downstream') throw errors.invalidStream()
  const name = textOf(body, 'name', '') || `${type}_${stream}`
  const kind = kinds.get(type)
  if (kind === undefined) throw errors.invalidToxicType()
  if (isTaken(name)) throw errors.toxicExists()
  const zeros = Object.fromEntries(kind.attributes.map((attribute) => [attribute, 0]))
  return { name, type, stream, direction, toxicity, attributes: { ...zeros, ...attributesOf(body, kind) }, kind }
}

/** The fields that a toxic may change: its toxicity, and those of its attributes that are given. Throws `ApiError`. */
export function changeToxic(toxic: Toxic, body: Fields): void {
  const attributes = attributesOf(body, toxic.kind)
  toxic.toxicity = toxicityOf(body, toxic.toxicity)
  Object.assign(toxic.attributes, attributes)
}

export function toxicJson({ attributes, name, type, stream, toxicity }: Toxic): object {
  return { attributes, name, type, stream, toxicity }
}

function attributesOf({ attributes }: Fields, kind: ToxicKind): Record<string, number> {
  if (attributes === undefined || attributes === null) return {}
  if (typeof attributes !== 'object' || Array.isArray(attributes)) throw badBody('attributes must be an object')
  const known: Record<string, number> = {}
  for (const [name, value] of Object.entries(attributes)) {
    if (!kind.attributes.includes(name) || value === null) continue
    if (!Number.isSafeInteger(value)) throw badBody(`attribute ${name} must be an integer`)
    known[name] = value
  }
  return known
}

function toxicityOf({ toxicity }: Fields, otherwise: number): number {
  if (toxicity === undefined || toxicity === null) return otherwise
  if (typeof toxicity !== 'number') throw badBody('toxicity must be a number')
  return toxicity
}

/** A field of text. Throws `ApiError`. */
export function textOf(body: Fields, field: string, otherwise: string): string {
  const value = body[field]
  if (value === undefined || value === null) return otherwise
  if (typeof value !== 'string') throw badBody(`${field} must be a string`)
  return value
}
