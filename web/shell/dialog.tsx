/* A modal question on the browser's own dialog: it traps the focus, closes on Escape and gives the focus
   back to where it was. */
import { type ReactNode, useEffect, useId, useRef } from 'react'

export function Dialog(props: { title: string; onClose: () => void; children: ReactNode; actions: ReactNode }) {
  const titleId = useId()
  const ref = useRef<HTMLDialogElement>(null)
  useEffect(() => {
    const dialog = ref.current
    if (dialog !== null && !dialog.open) dialog.showModal()
    return () => dialog?.close()
  }, [])
  return (
    <dialog
      ref={ref}
      className="ask"
      aria-labelledby={titleId}
      onCancel={(event) => {
        event.preventDefault()
        props.onClose()
      }}
    >
      <h2 id={titleId}>{props.title}</h2>
      {props.children}
      <div className="ask-foot">{props.actions}</div>
    </dialog>
  )
}
