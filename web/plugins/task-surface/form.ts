/* The values of one open form, one subscription a field, so that a keystroke draws one field again. Knows no
   storage and no host. `false`, `''` and `[]` are answers; only `undefined` is none. Rules: F-ONE a change
   tells the listeners of its field alone; F-CHECK values from storage are taken only where the model allows them. */
import type { TaskSurfaceField, TaskSurfaceModelV1 } from '../../../shared/surface/model.ts'
import type { TaskSurfaceValue } from '../../../shared/surface/submission.ts'

/** The note has no field id; no field id begins like this. */
export const noteKey = '/note'

export interface FormValues {
  readonly values: ReadonlyMap<string, TaskSurfaceValue>
  readonly note: string
}

export interface Form {
  readonly model: TaskSurfaceModelV1
  get(key: string): TaskSurfaceValue | undefined
  /** Tells the field's listeners and the one of `onEdit`. The same value changes nothing. */
  set(key: string, value: TaskSurfaceValue | undefined): void
  subscribe(key: string, listener: () => void): () => void
  snapshot(): FormValues
  /** Takes over what another tab or the storage holds; nobody edited, so `onEdit` is not told. */
  adopt(stored: FormValues): void
  onEdit(listener: (key: string) => void): () => void
}

export function initialValue(field: TaskSurfaceField): TaskSurfaceValue | undefined {
  switch (field.kind) {
    case 'text':
      return field.initial ?? ''
    case 'choice':
      return field.initial
    case 'multi-choice':
      return field.initial ?? []
    case 'toggle':
      return field.initial ?? false
    case 'order':
      return field.initial ?? field.options.map(({ id }) => id)
  }
}

function sameValue(left: TaskSurfaceValue | undefined, right: TaskSurfaceValue | undefined): boolean {
  if (!Array.isArray(left) || !Array.isArray(right)) return Object.is(left, right)
  return left.length === right.length && left.every((id, index) => id === right[index])
}

/** What of a stored value this field can hold; undefined: nothing of it. */
function fitting(field: TaskSurfaceField, value: TaskSurfaceValue | undefined): TaskSurfaceValue | undefined {
  switch (field.kind) {
    case 'text':
      return typeof value === 'string' ? value : undefined
    case 'toggle':
      return typeof value === 'boolean' ? value : undefined
    case 'choice':
      return field.options.some(({ id }) => id === value) ? value : undefined
    case 'multi-choice':
      return Array.isArray(value) ? field.options.flatMap(({ id }) => (value.includes(id) ? [id] : [])) : undefined
    case 'order': {
      if (!Array.isArray(value)) return undefined
      const known = new Set(field.options.map(({ id }) => id))
      const isPermutation = value.length === known.size && new Set(value).size === known.size
      return isPermutation && value.every((id) => known.has(id)) ? value : undefined
    }
  }
}

export function createForm(model: TaskSurfaceModelV1, stored: FormValues | null): Form {
  const fields = model.fields ?? []
  const values = new Map<string, TaskSurfaceValue>()
  let note = ''
  const listenersByKey = new Map<string, Set<() => void>>()
  const editListeners = new Set<(key: string) => void>()

  function put(key: string, value: TaskSurfaceValue | undefined): boolean {
    if (sameValue(get(key), value)) return false
    if (key === noteKey) note = typeof value === 'string' ? value : ''
    else if (value === undefined) values.delete(key)
    else values.set(key, value)
    for (const listener of [...(listenersByKey.get(key) ?? [])]) listener()
    return true
  }
  function get(key: string): TaskSurfaceValue | undefined {
    return key === noteKey ? note : values.get(key)
  }
  function adopt(from: FormValues | null): void {
    for (const field of fields) {
      // A choice may have been cleared on purpose; everything else falls back to the model.
      const held = from === null ? undefined : fitting(field, from.values.get(field.id))
      const cleared = field.kind === 'choice' && from !== null
      put(field.id, cleared ? held : (held ?? initialValue(field)))
    }
    if (from !== null) put(noteKey, from.note)
  }
  adopt(stored)

  return {
    model,
    get,
    set(key, value) {
      if (!put(key, value)) return
      for (const listener of [...editListeners]) listener(key)
    },
    subscribe(key, listener) {
      const listeners = listenersByKey.get(key) ?? new Set()
      listenersByKey.set(key, listeners)
      const own = () => listener()
      listeners.add(own)
      return () => {
        listeners.delete(own)
      }
    },
    snapshot: () => ({ values: new Map(values), note }),
    adopt,
    onEdit(listener) {
      editListeners.add(listener)
      return () => {
        editListeners.delete(listener)
      }
    },
  }
}

/** What is sent: declared fields only, an empty text left out as the host would store it. */
export function answersOf(form: Form): { values: Record<string, TaskSurfaceValue>; note?: string } {
  const { values, note } = form.snapshot()
  const entries = (form.model.fields ?? []).flatMap(({ id }) => {
    const value = values.get(id)
    return value === undefined || value === '' ? [] : [[id, value] as const]
  })
  return { values: Object.fromEntries(entries), ...(note === '' ? {} : { note }) }
}
