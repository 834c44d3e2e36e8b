/**
 * The commands that one Redis server executed for clients in a run, in order: enough to replay them
 * on another server. With several servers, only the first primary is recorded. Requests that never
 * arrived are not included. Whether replies arrived is not recorded, because the server does not
 * depend on it.
 */
export type TrafficEvent =
  | { readonly kind: 'connected'; readonly client: number }
  /** `atUs`: the server's own clock, in microseconds since the Unix epoch. */
  | { readonly kind: 'command'; readonly client: number; readonly atUs: number; readonly args: readonly string[] }
  | { readonly kind: 'closed'; readonly client: number }
  /**
   * A change of the server that no client requested. The rest of the run cannot be reproduced on
   * another server.
   */
  | { readonly kind: 'fault'; readonly what: string }
