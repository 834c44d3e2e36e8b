/**
 * What clients had one Redis server execute in a run, in order: enough to have another server
 * execute it again. Of several servers it is the first primary. Requests that never arrived are not
 * in it; replies that never arrived make no difference to the server.
 */
export type TrafficEvent =
  | { readonly kind: 'connected'; readonly client: number }
  /** `atUs`: the server's own clock, in microseconds since the Unix epoch. */
  | { readonly kind: 'command'; readonly client: number; readonly atUs: number; readonly args: readonly string[] }
  | { readonly kind: 'closed'; readonly client: number }
  /**
   * Something became of the server that no client asked for; what follows cannot be had from
   * another one.
   */
  | { readonly kind: 'fault'; readonly what: string }
