export { VirtualWorld } from './virtual-world.ts'
