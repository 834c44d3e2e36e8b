/** What live runs rely on, of every link through a proxy: one suite for all of them. */
import { blockCases } from './cases/block.ts'
import type { Case } from './cases/case.ts'
import { connectionCases } from './cases/connections.ts'
import { oneConnectionCases } from './cases/one-connection.ts'
import { resetCases } from './cases/reset.ts'
import { slowCases } from './cases/slow.ts'

export const contract: readonly Case[] = [...connectionCases, ...blockCases, ...slowCases, ...resetCases]

/** Of links that tell their connections apart. */
export const wholeContract: readonly Case[] = [...contract, ...oneConnectionCases]
