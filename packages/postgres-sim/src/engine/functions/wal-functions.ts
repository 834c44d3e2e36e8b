import { types } from '../values/types.ts'
import type { SqlFunction } from './function.ts'

/** WAL segments have 16 MB, which is PostgreSQL's default. */
const segmentBits = 24n
const segmentsPerFile = 1n << (32n - segmentBits)

const hex = (value: bigint) => value.toString(16).toUpperCase().padStart(8, '0')

/**
 * WAL functions. The simulated WAL only has a timeline, which starts at 1 and increases with each
 * failover. A file name begins with the current timeline of the server, whatever the position is.
 */
export const walFunctions: readonly SqlFunction[] = [
  {
    name: 'pg_walfile_name',
    args: [types.pgLsn],
    result: types.text,
    call([place], run) {
      // A position at a file boundary belongs to the earlier file.
      const segment = BigInt.asUintN(64, (place as bigint) - 1n) >> segmentBits
      const timeline = BigInt(run.backend.database.timeline)
      return hex(timeline) + hex(segment / segmentsPerFile) + hex(segment % segmentsPerFile)
    },
  },
]
