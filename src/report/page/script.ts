/**
 * The script of pages without pictures: it copies, saves one root cause, and opens the target of a
 * link.
 */
export const script = `
const readyToCopy = () => { for (const button of document.querySelectorAll('.copy[hidden]')) {
  const code = button.parentElement.querySelector('code')
  const label = button.textContent
  button.hidden = false
  button.addEventListener('click', async () => {
    let said = 'Copied'
    try { await navigator.clipboard.writeText(code.textContent) }
    catch { getSelection().selectAllChildren(code); said = 'Selected' }
    button.textContent = said
    setTimeout(() => { button.textContent = label }, 2000)
  })
} }
// Pictures are drawn whole, as for print, since the file has no script.
const fileOf = (card) => {
  dispatchEvent(new Event('beforeprint'))
  const copy = document.documentElement.cloneNode(true)
  const own = card.cloneNode(true)
  dispatchEvent(new Event('afterprint'))
  for (const details of own.querySelectorAll('details')) details.open = true
  const list = document.createElement('ol')
  list.className = 'roots'
  list.append(own)
  const main = copy.querySelector('main')
  main.replaceChildren(list)
  copy.querySelector('body').replaceChildren(main)
  for (const left of copy.querySelectorAll('script, button, .markdown')) left.remove()
  copy.querySelector('title').textContent = card.querySelector('h3').textContent + ' (Onceproof)'
  return '<!doctype html>\\n' + copy.outerHTML
}
const readyToSave = () => { for (const button of document.querySelectorAll('.save[hidden]')) {
  button.hidden = false
  button.addEventListener('click', () => {
    const card = button.closest('.root')
    const link = document.createElement('a')
    link.href = URL.createObjectURL(new Blob([fileOf(card)], { type: 'text/html' }))
    link.download = card.querySelector('h3').textContent.toLowerCase().replace(/[^a-z0-9]+/g, '-') + '.html'
    link.click()
    URL.revokeObjectURL(link.href)
  })
} }
const openTarget = () => {
  const target = location.hash && document.getElementById(location.hash.slice(1))
  if (!target) return
  if (target.tagName === 'DETAILS') target.open = true
  // What comes packed was not there when the browser looked for it.
  target.scrollIntoView()
}
const begin = () => { readyToCopy(); readyToSave(); openTarget() }
addEventListener('hashchange', openTarget)
addEventListener('unpacked', begin)
begin()
`
