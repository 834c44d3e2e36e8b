/** Version 4 brings no types: what is used of it here is as in later versions. */
declare module 'ioredis4' {
  import { Cluster, Redis } from 'ioredis'

  class Redis4 extends Redis {
    static Cluster: typeof Cluster
  }
  export default Redis4
}
