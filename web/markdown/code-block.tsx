/* A block of code with its language and a copy button. The text is drawn as it is. */
import { memo, useEffect, useState } from 'react'
import { Icon } from '../icon.tsx'
import { copyText } from './copy-text.ts'
import { markdownTexts } from './strings.ts'

/** Long enough to be read, short enough that the button is itself again before the next use. */
const noticeMs = 2_000

export function CopyButton({ text, label }: { text: string; label: string }) {
  const t = markdownTexts.use()
  const [notice, setNotice] = useState<'copied' | 'notCopied' | null>(null)
  useEffect(() => {
    if (notice === null) return
    const timer = setTimeout(() => setNotice(null), noticeMs)
    return () => clearTimeout(timer)
  }, [notice])
  const copy = async () => setNotice((await copyText(text)) ? 'copied' : 'notCopied')
  return (
    <span className="copy">
      <span role="status" className="copy-note">
        {notice === null ? '' : t(notice)}
      </span>
      <button type="button" className="icon-btn icon-btn-sm" aria-label={label} onClick={() => void copy()}>
        <Icon name={notice === 'copied' ? 'm-completed' : 'i-copy'} />
      </button>
    </span>
  )
}

export const CodeBlock = memo(function CodeBlock({ language, text }: { language: string; text: string }) {
  const t = markdownTexts.use()
  const shown = text.endsWith('\n') ? text.slice(0, -1) : text
  return (
    <div className="code">
      <div className="code-head">
        <span>{language}</span>
        <CopyButton text={shown} label={t('copy')} />
      </div>
      <pre tabIndex={0} role="group" aria-label={language === '' ? t('code') : t('codeIn', { language })}>
        <code>{shown}</code>
      </pre>
    </div>
  )
})
