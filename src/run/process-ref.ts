/** A consumer process as the runner sees it; a host adds more. */
export interface ProcessRef {
  /** `consumer-1`, `consumer-1.2` after a restart. */
  readonly name: string
  /** From 0; a restarted process keeps its slot. */
  readonly slot: number
  /** A paused process is stopped as by SIGSTOP; an ended one never comes back. */
  readonly state: 'running' | 'paused' | 'ended'
}
