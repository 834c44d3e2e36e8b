import { types } from '../values/types.ts'
import type { SqlFunction } from './function.ts'

/** Of 16 MB, PostgreSQL's default. */
const segmentBits = 24n
const segmentsPerFile = 1n << (32n - segmentBits)

const hex = (value: bigint) => value.toString(16).toUpperCase().padStart(8, '0')

/**
 * Functions of the write-ahead log, of which there is nothing but its timeline: 1, and one more for
 * each standby that takes over. A file's name begins with the timeline that the server writes,
 * whatever the place is.
 */
export const walFunctions: readonly SqlFunction[] = [
  {
    name: 'pg_walfile_name',
    args: [types.pgLsn],
    result: types.text,
    call([place], run) {
      // A place at the end of a file is of the one before.
      const segment = BigInt.asUintN(64, (place as bigint) - 1n) >> segmentBits
      const timeline = BigInt(run.backend.database.timeline)
      return hex(timeline) + hex(segment / segmentsPerFile) + hex(segment % segmentsPerFile)
    },
  },
]
