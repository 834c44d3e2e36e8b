import { type Handlers, noReply } from '../command.ts'
import { ErrorReply, OK } from '../resp/reply.ts'

export const monitorHandlers: Handlers = {
  monitor: (session) => {
    if (session.denyBlocking) return new ErrorReply("ERR MONITOR isn't allowed for DENY BLOCKING client")
    // A client that already monitors gets no reply.
    if (session.monitoring || session.replica !== null) return noReply
    session.monitoring = true
    session.server.monitors.add(session)
    return OK
  },
}
