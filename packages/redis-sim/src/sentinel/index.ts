export type { SentinelConfig } from './config.ts'
export { Sentinel } from './sentinel.ts'
