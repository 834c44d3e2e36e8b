/** Writes repeatedly until a connection breaks, and finds out whether the write was executed. */
import { lookMs, sleep } from './look.ts'
import type { Around } from './per-fault.ts'

/** `both`: both connections broke, so more than one command was lost. Null: none broke. */
export async function brokenWrite({ context, open }: Around): Promise<'executed' | 'not executed' | 'both' | null> {
  const writer = open({ maxRetriesPerRequest: 0, enableOfflineQueue: false, autoResendUnfulfilledCommands: false })
  const idle = open()
  let closings = 0
  idle.on('close', () => closings++)
  const untilMs = performance.now() + lookMs
  for (let at = 0; performance.now() < untilMs; at++) {
    await sleep(20)
    if (writer.status !== 'ready' || idle.status !== 'ready') continue
    const mark = `canary:${context.instanceId}:${at}`
    const before = closings
    const answered = await writer.set(mark, 1, 'PX', 60_000).then(
      () => true,
      (error: Error) => error.name === 'ReplyError',
    )
    if (answered) continue
    await sleep(100)
    if (closings !== before) return 'both'
    return (await idle.exists(mark)) === 1 ? 'executed' : 'not executed'
  }
  return null
}
