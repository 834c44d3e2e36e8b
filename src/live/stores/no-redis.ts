/** Redis as faults see it where the layer asks for none: nothing that they could strike. */
import type { StorePort } from '../../run/ports.ts'

export const noRedis: StorePort = {
  machines: [],
  primary: { name: 'redis', runs: 'redis', up: false, hasDisk: false },
  carryOut: () => false,
}
