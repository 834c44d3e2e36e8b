/** The stores beside Redis of one live run, by the names of their servers. */
import type { Servers } from '../environment/environment.ts'
import { PostgresSite, type SiteSetting } from '../postgres/postgres-site.ts'
import type { LiveSite } from './store-site.ts'

export function openSites(
  { postgres }: Pick<Servers, 'postgres'>,
  setting: SiteSetting,
): ReadonlyMap<string, LiveSite> {
  return new Map(postgres === undefined ? [] : [['postgres', new PostgresSite(postgres, setting)]])
}
