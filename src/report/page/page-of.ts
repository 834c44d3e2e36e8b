/**
 * The frame of every page. A page loads nothing from the network, which a content security policy
 * enforces.
 */
import { heatStyle } from './heat.ts'
import { Html, html } from './html.ts'
import { pictureStyle } from './picture-style.ts'
import { script } from './script.ts'
import { style } from './style.ts'

/** The scripts of a page other than the one that copies and opens. */
export interface PageScripts {
  /** Draws pictures. */
  readonly drawing?: string | undefined
  /** Unpacks compressed parts. */
  readonly unpacking?: string | undefined
}

export function pageOf(title: string, body: Html, { drawing, unpacking }: PageScripts = {}): string {
  const policy = "default-src 'none'; style-src 'unsafe-inline'; script-src 'unsafe-inline'"
  return html`<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<meta http-equiv="Content-Security-Policy" content="${policy}">
<title>${title} (Onceproof)</title>
<style>${new Html(style + heatStyle)}${drawing === undefined ? null : new Html(pictureStyle)}</style>
</head>
<body>
${body}
${scriptElement(script)}${scriptElement(drawing)}${scriptElement(unpacking)}</body>
</html>
`.text
}

const scriptElement = (text: string | undefined): Html | null =>
  text === undefined ? null : html`<script>${new Html(text)}</script>\n`
