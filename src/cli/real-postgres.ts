/**
 * The real PostgreSQL of the crosscheck. Onceproof starts this server, of any minor version of 15,
 * if its programs are found.
 */

import { findPostgres, RealSessions, ServerGone, startPostgres, WireClient } from 'test-servers'
import type { RealPostgres, RealPostgresOffer } from '../campaign/types.ts'

export function findRealPostgres(): RealPostgresOffer {
  const programs = findPostgres()
  if (programs === undefined)
    return { kind: 'none', reason: 'PostgreSQL 15 not found; install it (Debian: apt-get install postgresql-15)' }
  return { kind: 'ready', start: () => start(programs) }
}

/** The simulated server's default of 100 connections, plus some for the crosscheck. */
const connections = 'max_connections=120'

async function start(programs: string): Promise<RealPostgres> {
  try {
    const server = await startPostgres(programs, [connections])
    const version = await versionOf(server.port)
    return {
      version,
      open: async (login) => {
        try {
          return await RealSessions.open(server.port, login)
        } catch (error) {
          throw new ServerGone(`PostgreSQL does not answer: ${(error as Error).message}`)
        }
      },
      stop: () => server.stop(),
    }
  } catch (error) {
    throw new ServerGone(`PostgreSQL 15 could not be started: ${(error as Error).message.trim()}`)
  }
}

async function versionOf(port: number): Promise<string> {
  const client = await WireClient.open(port)
  const [answer] = await client.query('SHOW server_version')
  client.close()
  return answer !== undefined && 'rows' in answer ? answer.rows[0]![0]!.split(' ')[0]! : 'of unknown version'
}
