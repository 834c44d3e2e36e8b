import fs from 'node:fs'
import { type PostgresServer, ServerGone, startPostgres, WireClient } from 'test-servers'
import { expect, vi } from 'vitest'
import { needs, pathOf } from '../../../../test/needs/needs.ts'
import { RealTarget } from '../../fidelity/real-target.ts'

const onServer = needs({ postgres: '15' }).it

async function withTarget(work: (target: RealTarget, server: PostgresServer) => Promise<void>): Promise<void> {
  const server = await startPostgres(pathOf('postgres'))
  const target = new RealTarget(server.port)
  try {
    await work(target, server)
  } finally {
    target.close()
    await server.stop()
  }
}

/** The ids of the postmaster and of the processes of the sessions, the oldest session first. */
async function processesOf({ port }: PostgresServer): Promise<number[]> {
  const client = await WireClient.open(port)
  const [, parent] = /^PPid:\s+(\d+)/m.exec(fs.readFileSync(`/proc/${client.processId}/status`, 'utf8'))!
  const [found] = await client.query(
    "SELECT pid FROM pg_stat_activity WHERE backend_type = 'client backend' ORDER BY backend_start",
  )
  client.close()
  const others = found !== undefined && 'rows' in found ? found.rows.map(([pid]) => Number(pid)) : []
  return [Number(parent), ...others.filter((pid) => pid !== client.processId)]
}

/** Expects ServerGone after the timeout. Fake timers make time pass quickly. */
async function isTakenForGone(asked: () => Promise<unknown>): Promise<void> {
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'performance'] })
  const running = setInterval(() => vi.advanceTimersByTime(1000), 10)
  try {
    const gone = asked()
    await expect(gone).rejects.toThrow(ServerGone)
    await expect(gone).rejects.toThrow('the real PostgreSQL answers no more')
  } finally {
    clearInterval(running)
    vi.useRealTimers()
  }
}

onServer('a comparison ends if the server accepts no new connections', () =>
  withTarget(async (target, server) => {
    await target.begin([], 2)
    const [letsIn] = await processesOf(server)
    process.kill(letsIn!, 'SIGSTOP')
    await isTakenForGone(() => target.begin([], 2))
  }),
)

onServer('a comparison ends if the sessions are frozen, and the server can still be stopped', () =>
  withTarget(async (target, server) => {
    await target.begin([], 2)
    const [, ...sessions] = await processesOf(server)
    expect(sessions).toHaveLength(3)
    for (const session of sessions) process.kill(session, 'SIGSTOP')
    await isTakenForGone(() => target.begin([], 2))
  }),
)

const frozen = {
  'answers no statement': (target: RealTarget) => target.step({ session: 1, sql: 'SELECT 1' }),
  'does not end': (target: RealTarget) => target.begin([], 2),
}
for (const [what, asked] of Object.entries(frozen))
  onServer(`a comparison ends if a session ${what}, even if the server still answers the monitor`, () =>
    withTarget(async (target, server) => {
      await target.begin([], 2)
      // The first session is the monitor.
      const [, , ...sessions] = await processesOf(server)
      for (const session of sessions) process.kill(session, 'SIGSTOP')
      await isTakenForGone(() => asked(target))
      for (const session of sessions) process.kill(session, 'SIGCONT')
    }),
  )

onServer('a server that dies ends the comparison', () =>
  withTarget(async (target, server) => {
    await target.begin([], 2)
    await server.stop()
    await expect(target.begin([], 2)).rejects.toThrow(ServerGone)
  }),
)
