/** HTML from template literals: values are escaped, unless they are already `Html`. */
import { visible } from '../../contract/results/visible.ts'

export class Html {
  constructor(readonly text: string) {}
}

type Part = string | number | Html | null | readonly Part[]

const entities: Readonly<Record<string, string>> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  "'": '&#39;',
}

export const escaped = (text: string): string =>
  text
    .split('\n')
    .map(visible)
    .join('\n')
    .replace(/[&<>"']/g, (character) => entities[character]!)

function textOf(part: Part): string {
  if (part === null) return ''
  if (part instanceof Html) return part.text
  if (typeof part === 'object') return part.map(textOf).join('')
  return escaped(String(part))
}

export function html(texts: TemplateStringsArray, ...parts: readonly Part[]): Html {
  return new Html(texts.map((text, at) => text + (at < parts.length ? textOf(parts[at]!) : '')).join(''))
}
