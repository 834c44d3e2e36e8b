/** Version 4 ships no types. The parts that tests use match later versions. */
declare module 'ioredis4' {
  import { Cluster, Redis } from 'ioredis'

  class Redis4 extends Redis {
    static Cluster: typeof Cluster
  }
  export default Redis4
}
