import { Redis } from 'ioredis'
import { ioredisMarker } from './ioredis-marker.ts'

export default ioredisMarker('ioredis-6', Redis as never)
