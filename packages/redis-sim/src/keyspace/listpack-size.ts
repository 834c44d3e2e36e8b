/** The size of a value in a listpack, in bytes. Source: listpack.c of Redis 7.0. */
import { parseInt64 } from '../numbers/int64.ts'

/** Size of an empty listpack: header and end byte. */
export const emptyListpackBytes = 7

export function listpackBytes(value: string | bigint): number {
  const number = typeof value === 'bigint' ? value : asInteger(value)
  const body = number === undefined ? stringBytes(value as string) : integerBytes(number)
  return body + backLengthBytes(body)
}

/** Texts that are integers are stored as integers. */
function asInteger(text: string): bigint | undefined {
  const value = parseInt64(text)
  return value === undefined ? undefined : BigInt(value)
}

function integerBytes(value: bigint): number {
  if (value >= 0n && value <= 127n) return 1
  if (value >= -4096n && value <= 4095n) return 2
  if (value >= -32768n && value <= 32767n) return 3
  if (value >= -8388608n && value <= 8388607n) return 4
  return value >= -2147483648n && value <= 2147483647n ? 5 : 9
}

function stringBytes({ length }: string): number {
  return length + (length < 64 ? 1 : length < 4096 ? 2 : 5)
}

function backLengthBytes(body: number): number {
  return body <= 127 ? 1 : body < 16383 ? 2 : body < 2097151 ? 3 : body < 268435455 ? 4 : 5
}
