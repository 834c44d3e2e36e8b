/** The members of a consumer process that the runner uses; a host adds more members. */
export interface ProcessRef {
  /** The name: `consumer-1`, and `consumer-1.2` after a restart. */
  readonly name: string
  /** The number of the consumer slot, from 0; a restarted process has the same slot. */
  readonly slot: number
  /** A paused process is stopped as by SIGSTOP; an ended one never comes back. */
  readonly state: 'running' | 'paused' | 'ended'
}
