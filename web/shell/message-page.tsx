/* A page that says one thing and offers one way on. */
import type { ReactNode } from 'react'
import { ConnectionBar } from './connection-bar.tsx'
import { DrawerButton } from './drawer.tsx'

export function MessagePage({ title, text, children }: { title: string; text: string; children: ReactNode }) {
  return (
    <>
      <header className="head">
        <DrawerButton />
        <p className="head-title dim">{title}</p>
      </header>
      <ConnectionBar />
      <div className="page">
        <div className="page-in">
          <div className="hero">
            <h1>{title}</h1>
            <p>{text}</p>
          </div>
          <div className="starts">{children}</div>
        </div>
      </div>
    </>
  )
}
