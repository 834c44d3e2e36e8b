/** What live runs rely on in every proxied link, as one suite for all proxies. */
import { blockCases } from './cases/block.ts'
import type { Case } from './cases/case.ts'
import { connectionCases } from './cases/connections.ts'
import { oneConnectionCases } from './cases/one-connection.ts'
import { resetCases } from './cases/reset.ts'
import { slowCases } from './cases/slow.ts'

export const contract: readonly Case[] = [...connectionCases, ...blockCases, ...slowCases, ...resetCases]

/** The contract of links that expose their connections. */
export const wholeContract: readonly Case[] = [...contract, ...oneConnectionCases]
