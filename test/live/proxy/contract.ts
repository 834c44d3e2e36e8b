/** What live runs rely on, of every link through a proxy: one suite for all of them. */
import { blockCases } from './cases/block.ts'
import type { Case } from './cases/case.ts'
import { connectionCases } from './cases/connections.ts'
import { resetCases } from './cases/reset.ts'
import { slowCases } from './cases/slow.ts'

export const contract: readonly Case[] = [...connectionCases, ...blockCases, ...slowCases, ...resetCases]
