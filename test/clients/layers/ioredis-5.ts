import Redis from 'ioredis5'
import { ioredisMarker } from './ioredis-marker.ts'

export default ioredisMarker('ioredis-5', Redis as never)
