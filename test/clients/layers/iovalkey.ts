import { Redis } from 'iovalkey'
import { ioredisMarker } from './ioredis-marker.ts'

export default ioredisMarker('iovalkey', Redis as never)
