export { VirtualWorld as Lab } from '../src/virtual-world.ts'
