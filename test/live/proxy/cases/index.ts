import { apiCases } from './api.ts'
import { connectionCases } from './connections.ts'
import { lostCases } from './lost.ts'
import { manyCases } from './many.ts'
import { slowCases } from './slow.ts'
import { toxicApiCases } from './toxics-api.ts'

/** The contract of a Toxiproxy server, whoever's it is. */
export const cases = [...apiCases, ...toxicApiCases, ...manyCases, ...connectionCases, ...lostCases, ...slowCases]
