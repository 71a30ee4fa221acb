/* Reordering by pointer, touch, keyboard and screen reader. React Aria brings the drag and drop; the buttons and
   Alt with the arrow keys, Home or End move one row, and the focus stays on what was moved. */
import type { KeyboardEvent } from 'react'
import { Button } from 'react-aria-components/Button'
import { GridList, GridListItem } from 'react-aria-components/GridList'
import { I18nProvider } from 'react-aria-components/I18nProvider'
import { useDragAndDrop } from 'react-aria-components/useDragAndDrop'
import { useTranslation } from 'react-i18next'
import { Icon } from '../../icon.tsx'
import type { OrderListProps } from './order-field.tsx'
import { surfaceTexts } from './strings.ts'

/** Where Alt with a key moves a row; null: not a key of ours. */
function targetOf(key: string, from: number, total: number): number | null {
  switch (key) {
    case 'ArrowUp':
      return Math.max(0, from - 1)
    case 'ArrowDown':
      return Math.min(total - 1, from + 1)
    case 'Home':
      return 0
    case 'End':
      return total - 1
    default:
      return null
  }
}

export default function OrderList({ rows, labelledBy, describedBy, onMove }: OrderListProps) {
  const t = surfaceTexts.use()
  const { i18n } = useTranslation()
  const indexOf = (key: unknown) => rows.findIndex(({ id }) => id === key)
  const { dragAndDropHooks } = useDragAndDrop({
    getItems: (keys) => [...keys].map((key) => ({ 'text/plain': rows[indexOf(key)]?.label ?? '' })),
    onReorder({ keys, target }) {
      const [key] = keys
      const from = indexOf(key)
      const beside = indexOf(target.key) + (target.dropPosition === 'after' ? 1 : 0)
      if (from >= 0) onMove(from, from < beside ? beside - 1 : beside)
    },
  })

  const keyDown = (event: KeyboardEvent<HTMLElement>) => {
    if (!event.altKey || event.ctrlKey || event.metaKey || event.shiftKey) return
    const row = event.target instanceof Element ? event.target.closest('[data-key]') : null
    const from = indexOf(row?.getAttribute('data-key'))
    const to = from < 0 ? null : targetOf(event.key, from, rows.length)
    if (to === null) return
    event.preventDefault()
    event.stopPropagation()
    onMove(from, to)
  }

  const press = (button: Element, from: number, to: number) => {
    // At the end of the list the pressed button is of no more use: the focus goes to its neighbour.
    const isLast = to === 0 || to === rows.length - 1
    const other = button.nextElementSibling ?? button.previousElementSibling
    onMove(from, to)
    if (isLast && other instanceof HTMLElement) queueMicrotask(() => other.focus())
  }

  return (
    // Without it React Aria speaks the browser's language, not the page's.
    <I18nProvider locale={i18n.language.startsWith('zh') ? 'zh-CN' : 'en-US'}>
      <div onKeyDownCapture={keyDown}>
        <GridList
          className="order"
          aria-labelledby={labelledBy}
          aria-describedby={describedBy}
          items={rows}
          dependencies={[rows, t]}
          keyboardNavigationBehavior="tab"
          disallowTypeAhead
          dragAndDropHooks={dragAndDropHooks}
        >
          {(row) => {
            const index = indexOf(row.id)
            const place = { label: row.label, position: index + 1, total: rows.length }
            return (
              <GridListItem
                id={row.id}
                textValue={t('orderRow', place)}
                className={({ isDragging }) => (isDragging ? 'order-row lifted' : 'order-row')}
              >
                <Button slot="drag" className="grip" aria-label={t('orderRow', place)}>
                  <Icon name="i-grip" />
                </Button>
                <span className="pos" aria-hidden="true">
                  {index + 1}
                </span>
                <span className="order-text">
                  {row.label}
                  {row.detail === undefined ? null : <small>{row.detail}</small>}
                </span>
                <span className="order-btns">
                  <Button
                    className="icon-btn icon-btn-sm"
                    aria-label={t('moveUp', { label: row.label })}
                    isDisabled={index === 0}
                    onPress={({ target }) => press(target, index, index - 1)}
                  >
                    <Icon name="i-up" />
                  </Button>
                  <Button
                    className="icon-btn icon-btn-sm"
                    aria-label={t('moveDown', { label: row.label })}
                    isDisabled={index === rows.length - 1}
                    onPress={({ target }) => press(target, index, index + 1)}
                  >
                    <Icon name="i-down" />
                  </Button>
                </span>
              </GridListItem>
            )
          }}
        </GridList>
      </div>
    </I18nProvider>
  )
}
