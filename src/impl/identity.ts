import crypto from 'node:crypto'
import { canonicalJson } from './canonical-json.ts'

/** The Redis key of a key's record, and of the generation of its bucket; both in one slot of Redis Cluster. */
export interface BucketKeys {
  /** `once:{b17}:<key>` */
  readonly record: string
  /** `once:{b17}/1024` */
  readonly generation: string
}

export function bucketKeysOf(key: string, buckets: number): BucketKeys {
  const bucket = crypto.createHash('sha1').update(key).digest().readUInt32BE(0) % buckets
  return { record: `once:{b${bucket}}:${key}`, generation: generationName(bucket, buckets) }
}

/** The number of buckets is part of the name: whoever changes it looks for records elsewhere, and must know nothing. */
export function generationName(bucket: number, buckets: number): string {
  return `once:{b${bucket}}/${buckets}`
}

/**
 * Tells messages of one key apart: SHA-256 of the canonical JSON of birth and payload.
 * Throws `TypeError` for what JSON cannot carry.
 */
export function fingerprintOf(payload: unknown, producedAt: number): string {
  return crypto
    .createHash('sha256')
    .update(`${producedAt} ${canonicalJson(payload)}`)
    .digest('hex')
}

/** 128 random bits: an attempt's owner token, or the nonce of a begin. Never derived from host, process or time. */
export function freshToken(): string {
  return crypto.randomBytes(16).toString('hex')
}
