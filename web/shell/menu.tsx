/* A menu button. Arrow keys, Home, End and first letters move, Enter and Space choose, Escape and a click
   elsewhere close; closing gives the focus back to the button unless it went elsewhere. */
import { type KeyboardEvent, type ReactNode, useEffect, useId, useRef, useState } from 'react'
import { Icon, type IconName } from '../icon.tsx'

export interface MenuItem {
  id: string
  label: string
  icon?: IconName
  /** Given: one choice of several, this one chosen or not. */
  checked?: boolean
  danger?: boolean
  disabled?: boolean
  onSelect: () => void
}

export interface MenuProps {
  /** The accessible name of the button, where its content does not say it. */
  label?: string
  /** The accessible name of the menu. */
  menuLabel: string
  className: string
  children: ReactNode
  items: readonly MenuItem[]
  /** Which way the menu opens, and on which side it is aligned. */
  place: 'below-end' | 'above-start' | 'above-end'
  disabled?: boolean
  title?: string
}

function move(menu: HTMLElement, key: string): boolean {
  const items = [...menu.querySelectorAll<HTMLElement>('[role^=menuitem]:not([aria-disabled=true])')]
  const at = items.findIndex((item) => item === document.activeElement)
  const next = {
    ArrowDown: items[(at + 1) % items.length],
    ArrowUp: items[(at - 1 + items.length) % items.length],
    Home: items[0],
    End: items.at(-1),
  }[key]
  const typed = key.length === 1 && key !== ' ' ? key.toLocaleLowerCase() : null
  const target =
    next ?? (typed === null ? undefined : startingWith([...items.slice(at + 1), ...items.slice(0, at + 1)], typed))
  target?.focus()
  return next !== undefined || target !== undefined
}

function startingWith(items: readonly HTMLElement[], letter: string): HTMLElement | undefined {
  return items.find((item) => (item.textContent ?? '').trim().toLocaleLowerCase().startsWith(letter))
}

export function Menu(props: MenuProps) {
  const [open, setOpen] = useState(false)
  const menuId = useId()
  const root = useRef<HTMLSpanElement>(null)
  const button = useRef<HTMLButtonElement>(null)
  const menu = useRef<HTMLUListElement>(null)

  useEffect(() => {
    if (!open) return
    const chosen =
      menu.current?.querySelector<HTMLElement>('[aria-checked=true]') ??
      menu.current?.querySelector<HTMLElement>('[role^=menuitem]')
    chosen?.focus()
    const onPress = (event: Event) => {
      if (event.target instanceof Node && root.current?.contains(event.target) !== true) setOpen(false)
    }
    document.addEventListener('pointerdown', onPress)
    return () => document.removeEventListener('pointerdown', onPress)
  }, [open])

  const close = () => {
    setOpen(false)
    button.current?.focus()
  }
  const onKeyDown = (event: KeyboardEvent) => {
    if (!open) return
    if (event.key === 'Escape') {
      event.stopPropagation()
      close()
    } else if (event.key === 'Tab') setOpen(false)
    else if (menu.current !== null && move(menu.current, event.key)) event.preventDefault()
  }
  return (
    <span ref={root} className="menu-root" onKeyDown={onKeyDown}>
      <button
        ref={button}
        type="button"
        className={props.className}
        aria-haspopup="menu"
        aria-expanded={open}
        aria-controls={open ? menuId : undefined}
        aria-label={props.label}
        title={props.title ?? props.label}
        disabled={props.disabled}
        onClick={() => setOpen(!open)}
        onKeyDown={(event) => {
          if (open || (event.key !== 'ArrowDown' && event.key !== 'ArrowUp')) return
          event.preventDefault()
          setOpen(true)
        }}
      >
        {props.children}
      </button>
      {open && (
        <ul ref={menu} id={menuId} role="menu" aria-label={props.menuLabel} className={`menu menu-${props.place}`}>
          {props.items.map((item) => (
            <Item
              key={item.id}
              item={item}
              onSelect={() => {
                close()
                item.onSelect()
              }}
            />
          ))}
        </ul>
      )}
    </span>
  )
}

function Item({ item, onSelect }: { item: MenuItem; onSelect: () => void }) {
  return (
    <li role="none">
      <button
        type="button"
        role={item.checked === undefined ? 'menuitem' : 'menuitemradio'}
        aria-checked={item.checked}
        aria-disabled={item.disabled === true ? true : undefined}
        tabIndex={-1}
        className={item.danger === true ? 'menu-item menu-danger' : 'menu-item'}
        onClick={() => item.disabled !== true && onSelect()}
      >
        {item.checked === undefined ? (
          item.icon !== undefined && <Icon name={item.icon} />
        ) : (
          <Icon name="m-completed" className={item.checked ? undefined : 'unchecked'} />
        )}
        <span>{item.label}</span>
      </button>
    </li>
  )
}
