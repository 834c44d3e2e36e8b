import { expect } from 'vitest'

/**
 * Every id stands once in the page, and every link within it leads to one of them. @returns where
 * the links lead
 */
export function expectLinksThatLead(page: string): readonly string[] {
  const ids = [...page.matchAll(/ id="([^"]*)"/g)].map(([, id]) => id!)
  expect(ids).toEqual([...new Set(ids)])
  const links = [...page.matchAll(/href="#([^"]*)"/g)].map(([, id]) => id!)
  expect(links.filter((id) => !ids.includes(id))).toEqual([])
  return links
}
