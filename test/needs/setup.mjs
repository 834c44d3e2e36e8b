/** Vitest's global setup of the tiers with servers: looks programs up once, for `needs`. */
import '../sources.mjs'
import { endRun } from '../temporary-files.mjs'

export async function setup(project) {
  const { findPrograms, requireLoopback } = await import('./programs.ts')
  await requireLoopback().catch((error) => endRun(error.message))
  project.provide('programs', await findPrograms())
}
