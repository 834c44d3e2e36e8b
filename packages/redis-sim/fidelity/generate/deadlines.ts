/** Expiry times whose effect does not depend on the speed of the machine. */
import type { Random } from 'test-servers'

/** Durations far in the future, far in the past, or invalid. */
export const seconds = [
  '100',
  '5000',
  '86400',
  '0',
  '-1',
  '-100',
  '9223372036854775',
  '9223372036854776',
  '9223372036854775807',
  '-9223372036854775808',
  'x',
  '1.5',
  '',
]
export const milliseconds = [
  '100000',
  '5000000',
  '0',
  '-1',
  '9223372036854775807',
  '9223370336854775807',
  '-9223372036854775808',
  'x',
  '',
]
export const secondsAt = [
  '1',
  '1000',
  '9999999999',
  '0',
  '-1',
  '9223372036854775',
  '9223372036854776',
  '9223372036854775807',
  'x',
]
export const millisecondsAt = [
  '1',
  '1000',
  '9999999999999',
  '0',
  '-5',
  '9223372036854775807',
  '-9223372036854775808',
  'x',
]
const deadlines: { readonly [unit: string]: readonly string[] } = {
  EX: seconds,
  PX: milliseconds,
  EXAT: secondsAt,
  PXAT: millisecondsAt,
}

export function timeOption(random: Random): string[] {
  const unit = random.pick(['EX', 'PX', 'EXAT', 'PXAT'])
  return random.chance(95) ? [unit, random.pick(deadlines[unit]!)] : [unit]
}
