/**
 * What one Redis server executed for clients in a run, in order: enough to replay it on another
 * server. With several servers, only the first primary is recorded. Requests that never arrived are
 * not included; replies that never arrived make no difference to the server.
 */
export type TrafficEvent =
  | { readonly kind: 'connected'; readonly client: number }
  /** `atUs`: the server's own clock, in microseconds since the Unix epoch. */
  | { readonly kind: 'command'; readonly client: number; readonly atUs: number; readonly args: readonly string[] }
  | { readonly kind: 'closed'; readonly client: number }
  /**
   * Something happened to the server that no client requested. The rest cannot be reproduced on
   * another server.
   */
  | { readonly kind: 'fault'; readonly what: string }
