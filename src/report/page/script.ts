/** All that the page does by itself: Copy buttons, and opening what a link leads to. It reads as well without. */
export const script = `
const readyToCopy = () => { for (const button of document.querySelectorAll('.copy[hidden]')) {
  const code = button.parentElement.querySelector('code')
  button.hidden = false
  button.addEventListener('click', async () => {
    let said = 'Copied'
    try { await navigator.clipboard.writeText(code.textContent) }
    catch { getSelection().selectAllChildren(code); said = 'Selected' }
    button.textContent = said
    setTimeout(() => { button.textContent = 'Copy' }, 2000)
  })
} }
const openTarget = () => {
  const target = location.hash && document.getElementById(location.hash.slice(1))
  if (!target) return
  if (target.tagName === 'DETAILS') target.open = true
  // What comes packed was not there when the browser looked for it.
  target.scrollIntoView()
}
const begin = () => { readyToCopy(); openTarget() }
addEventListener('hashchange', openTarget)
addEventListener('unpacked', begin)
begin()
`
