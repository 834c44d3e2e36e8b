/** SCRIPT KILL and FUNCTION KILL. Source: scriptKill of Redis 7.0. */
import { ErrorReply, OK, type Reply } from '../../lua/reply.ts'
import type { RedisServer } from '../server.ts'
import { busy } from '../trouble.ts'

/** Only what never ends is seen running from outside: any other script ends in the turn in which it began. */
export function killScript(server: RedisServer, what: 'script' | 'function'): Reply {
  const { endlessScript } = server
  if (endlessScript === null) return new ErrorReply('NOTBUSY No scripts in execution right now.')
  if (endlessScript.hasWritten) {
    return new ErrorReply(
      'UNKILLABLE Sorry the script already executed write commands against the dataset. You can either wait the script termination or kill the server in a hard way using the SHUTDOWN NOSAVE command.',
    )
  }
  const running = endlessScript.functionName === null ? 'script' : 'function'
  if (running !== what) return busy[running]
  server.endlessScript = null
  server.trouble.busy = false
  server.connections.get(endlessScript.caller)?.unblock('timeout')
  return OK
}
