import { expect } from 'vitest'

/**
 * Checks that ids are unique in the page and that every internal link has a target. @returns the
 * targets of the links
 */
export function expectLinksThatLead(page: string): readonly string[] {
  const ids = [...page.matchAll(/ id="([^"]*)"/g)].map(([, id]) => id!)
  expect(ids).toEqual([...new Set(ids)])
  const links = [...page.matchAll(/href="#([^"]*)"/g)].map(([, id]) => id!)
  expect(links.filter((id) => !ids.includes(id))).toEqual([])
  return links
}
