import crypto from 'node:crypto'

/**
 * The Redis keys of a key's record and of the generation of its bucket, both in one slot of Redis
 * Cluster.
 */
export interface BucketKeys {
  /** `once:{b17}:<key>`, with the default prefix. */
  readonly record: string
  /** `once:{b17}/1024` */
  readonly generation: string
}

/** The names of the layer's keys begin with it. */
export const defaultPrefix = 'once:'

/** `prefix`: as in `Settings`. */
export function bucketKeysOf(key: string, buckets: number, prefix: string = defaultPrefix): BucketKeys {
  const bucket = Number.parseInt(crypto.hash('sha1', key, 'hex').slice(0, 8), 16) % buckets
  return { record: `${prefix}{b${bucket}}:${key}`, generation: generationName(bucket, buckets, prefix) }
}

/**
 * The number of buckets is part of the name. A layer with another number uses other record names,
 * so it must not find this generation.
 */
export function generationName(bucket: number, buckets: number, prefix: string = defaultPrefix): string {
  return `${prefix}{b${bucket}}/${buckets}`
}

/** A pattern of SCAN for the generations of all layers, and the parts of such a name. */
export const generationPattern = '*{b*}/*'
export function generationParts(name: string): { readonly prefix: string; readonly buckets: number } | null {
  const [, prefix, buckets] = /^([^{}]+)\{b\d+\}\/(\d+)$/.exec(name) ?? []
  return prefix === undefined ? null : { prefix, buckets: Number(buckets) }
}

/** Distinguishes messages: SHA-256 of produced-at time, key, and the payload as canonical JSON. */
export function fingerprintOf(key: string, payloadJson: string, producedAt: number): string {
  return sha256(`${producedAt} ${JSON.stringify(key)} ${payloadJson}`)
}

/**
 * The fingerprint in older records, which did not cover the key. Empty, so that it matches no
 * record, if the key has U+FFFD: a key that is not well-formed Unicode had the same record name.
 */
export function formerFingerprintOf(key: string, payloadJson: string, producedAt: number): string {
  return key.includes('\uFFFD') ? '' : sha256(`${producedAt} ${payloadJson}`)
}

function sha256(text: string): string {
  return crypto.hash('sha256', text, 'hex')
}

/**
 * 128 random bits: an attempt's owner token, or the nonce of a begin. Never derived from host,
 * process or time.
 */
export function freshToken(): string {
  return crypto.randomBytes(16).toString('hex')
}
