/* Puts text on the clipboard. The clipboard API is absent on a plain http address other than loopback; the old
   command still works there. */

/** False: the browser refused both ways. Never rejects. */
export async function copyText(text: string): Promise<boolean> {
  try {
    await navigator.clipboard.writeText(text)
    return true
  } catch {
    return copyBySelection(text)
  }
}

function copyBySelection(text: string): boolean {
  const focused = document.activeElement
  const holder = document.createElement('textarea')
  holder.value = text
  holder.className = 'vh'
  holder.setAttribute('aria-hidden', 'true')
  document.body.append(holder)
  holder.select()
  try {
    return document.execCommand('copy')
  } catch {
    return false
  } finally {
    holder.remove()
    if (focused instanceof HTMLElement) focused.focus()
  }
}
