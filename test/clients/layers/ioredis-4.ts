import Redis from 'ioredis4'
import { ioredisMarker } from './ioredis-marker.ts'

export default ioredisMarker('ioredis-4', Redis as never)
