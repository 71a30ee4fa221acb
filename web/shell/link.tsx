/* A link inside the page: the browser's own for new tabs and windows, the router's for a plain click. */
import type { ComponentProps } from 'react'
import { useClient } from '../client.tsx'
import { pathOf, type Route } from '../router.ts'

export function Link({ to, onClick, ...rest }: { to: Route } & Omit<ComponentProps<'a'>, 'href'>) {
  const { router } = useClient()
  return (
    <a
      {...rest}
      href={pathOf(to)}
      onClick={(event) => {
        onClick?.(event)
        const plain = event.button === 0 && !event.metaKey && !event.ctrlKey && !event.shiftKey && !event.altKey
        if (!plain || event.defaultPrevented) return
        event.preventDefault()
        router.go(to)
      }}
    />
  )
}
