import crypto from 'node:crypto'
import { canonicalJson } from './canonical-json.ts'

/** Buckets that records are spread over: what shares a bucket shares a slot of Redis Cluster, and so a script. */
const buckets = 1024

/** The Redis key of a key's record: `once:{b17}:<key>`. */
export function recordName(key: string): string {
  const bucket = crypto.createHash('sha1').update(key).digest().readUInt16BE(0) % buckets
  return `once:{b${bucket}}:${key}`
}

/** Tells payloads apart: SHA-256 of the canonical JSON. Throws `TypeError` for what JSON cannot carry. */
export function fingerprintOf(payload: unknown): string {
  return crypto.createHash('sha256').update(canonicalJson(payload)).digest('hex')
}

/** 128 random bits: an attempt's owner token, or the nonce of a begin. Never derived from host, process or time. */
export function freshToken(): string {
  return crypto.randomBytes(16).toString('hex')
}
