/* The controls of an open form, one component a field kind. Each subscribes to its own value, so typing in one
   draws that one. Locked fields keep their values legible. Rules: FI-NAME every control has a name, issues
   describe it; FI-FALSY `false`, `''` and `[]` are shown and sent as what they are. Next: `order-field.tsx`. */
import { memo, type ReactNode, type RefObject, useId, useLayoutEffect, useRef } from 'react'
import type { TaskSurfaceField, TaskSurfaceOption } from '../../../shared/surface/model.ts'
import { type FieldProps, IssueText, useFieldValue } from './field-parts.tsx'
import { type Form, noteKey } from './form.ts'
import { OrderField } from './order-field.tsx'
import { surfaceTexts } from './strings.ts'

export const FieldOf = memo(function FieldOf(props: Omit<FieldProps, 'field'> & { field: TaskSurfaceField }) {
  const { field, ...rest } = props
  switch (field.kind) {
    case 'text':
      return <TextField {...rest} field={field} />
    case 'choice':
      return <ChoiceField {...rest} field={field} />
    case 'multi-choice':
      return <MultiChoiceField {...rest} field={field} />
    case 'toggle':
      return <ToggleField {...rest} field={field} />
    case 'order':
      return <OrderField {...rest} field={field} />
    default: {
      const never: never = field
      return never
    }
  }
})

function invalid(issue: string, id: string): { 'aria-invalid'?: true; 'aria-describedby'?: string } {
  return issue === '' ? {} : { 'aria-invalid': true, 'aria-describedby': id }
}

function Lines(props: {
  form: Form
  name: string
  label: string
  multiline: boolean
  required: boolean
  locked: boolean
  issue: string
  tag: string
  placeholder?: string
}) {
  const { form, name, label, multiline, locked, issue } = props
  const id = useId()
  const value = useFieldValue(form, name)
  const area = useGrowingArea(value)
  const shared = {
    id,
    className: 'input',
    'aria-labelledby': `${id}-l`,
    value: typeof value === 'string' ? value : '',
    disabled: locked,
    required: props.required,
    placeholder: props.placeholder,
    dir: 'auto',
    autoComplete: 'off',
    ...invalid(issue, `${id}-i`),
  }
  return (
    <div className="field" data-field={name}>
      <label className="label" htmlFor={id}>
        <span id={`${id}-l`}>{label}</span>
        <span className="tag">{props.tag}</span>
      </label>
      {multiline ? (
        <textarea {...shared} ref={area} rows={3} onChange={(event) => form.set(name, event.target.value)} />
      ) : (
        <input {...shared} type="text" onChange={(event) => form.set(name, event.target.value)} />
      )}
      <IssueText id={`${id}-i`}>{issue}</IssueText>
    </div>
  )
}

/**
 * Grows with its text. The style sheet could do it, but a field whose size hangs on its text makes every keystroke
 * lay out the page around it.
 */
function useGrowingArea(value: unknown): RefObject<HTMLTextAreaElement | null> {
  const area = useRef<HTMLTextAreaElement>(null)
  useLayoutEffect(() => {
    const element = area.current
    if (element === null) return
    if (value === '') element.style.removeProperty('height')
    else if (element.scrollHeight > element.clientHeight) element.style.height = `${element.scrollHeight + 2}px`
  }, [value])
  return area
}

function TextField({ form, field, locked, issue }: FieldProps<'text'>) {
  const t = surfaceTexts.use()
  const required = field.required === true
  return (
    <Lines
      form={form}
      name={field.id}
      label={field.label}
      multiline={field.multiline === true}
      required={required}
      locked={locked}
      issue={issue}
      tag={required ? t('required') : ''}
    />
  )
}

export const NoteField = memo(function NoteField(props: { form: Form; locked: boolean; issue: string }) {
  const t = surfaceTexts.use()
  return (
    <Lines
      {...props}
      name={noteKey}
      label={t('noteLabel')}
      multiline
      required={false}
      tag={t('optional')}
      placeholder={t('notePlaceholder')}
    />
  )
})

function Group(props: {
  /** The id of its label. */
  labelId: string
  name: string
  label: string
  locked: boolean
  issue: string
  action?: ReactNode
  role?: 'radiogroup'
  children: ReactNode
}) {
  const { issue, labelId } = props
  return (
    <fieldset
      className="field"
      data-field={props.name}
      disabled={props.locked}
      role={props.role}
      aria-labelledby={labelId}
      aria-describedby={issue === '' ? undefined : `${labelId}-i`}
      // Only a radio group may be invalid as a whole; a group of check boxes says it in its description.
      aria-invalid={issue !== '' && props.role === 'radiogroup' ? true : undefined}
    >
      <div className="label">
        <span id={labelId}>{props.label}</span>
        {props.action}
      </div>
      {props.children}
      <IssueText id={`${labelId}-i`}>{issue}</IssueText>
    </fieldset>
  )
}

function Option(props: {
  option: TaskSurfaceOption
  kind: 'radio' | 'checkbox'
  group: string
  checked: boolean
  onChange: (checked: boolean) => void
}) {
  const { option } = props
  const id = useId()
  return (
    <label className="opt">
      <input
        type={props.kind}
        name={props.group}
        value={option.id}
        checked={props.checked}
        aria-labelledby={id}
        aria-describedby={option.detail === undefined ? undefined : `${id}-d`}
        onChange={(event) => props.onChange(event.target.checked)}
      />
      <span id={id}>{option.label}</span>
      {option.detail === undefined ? null : <small id={`${id}-d`}>{option.detail}</small>}
    </label>
  )
}

function ChoiceField({ form, field, locked, issue }: FieldProps<'choice'>) {
  const t = surfaceTexts.use()
  const group = useId()
  const labelId = useId()
  const value = useFieldValue(form, field.id)
  const clear = (button: HTMLElement) => {
    // The button goes with the choice; the focus stays in the group.
    const first = button.closest('fieldset')?.querySelector('input')
    form.set(field.id, undefined)
    first?.focus()
  }
  const action =
    value === undefined || locked ? null : (
      <button type="button" className="link" aria-describedby={labelId} onClick={(event) => clear(event.currentTarget)}>
        {t('clearChoice')}
      </button>
    )
  return (
    <Group
      labelId={labelId}
      name={field.id}
      label={field.label}
      locked={locked}
      issue={issue}
      action={action}
      role="radiogroup"
    >
      <div className="opts">
        {field.options.map((option) => (
          <Option
            key={option.id}
            option={option}
            kind="radio"
            group={group}
            checked={value === option.id}
            onChange={() => form.set(field.id, option.id)}
          />
        ))}
      </div>
    </Group>
  )
}

function MultiChoiceField({ form, field, locked, issue }: FieldProps<'multi-choice'>) {
  const group = useId()
  const labelId = useId()
  const value = useFieldValue(form, field.id)
  const chosen = new Set(Array.isArray(value) ? value : [])
  const toggle = (id: string, checked: boolean) => {
    const next = field.options.flatMap((option) =>
      (option.id === id ? checked : chosen.has(option.id)) ? [option.id] : [],
    )
    form.set(field.id, next)
  }
  return (
    <Group labelId={labelId} name={field.id} label={field.label} locked={locked} issue={issue}>
      <div className="opts">
        {field.options.map((option) => (
          <Option
            key={option.id}
            option={option}
            kind="checkbox"
            group={group}
            checked={chosen.has(option.id)}
            onChange={(checked) => toggle(option.id, checked)}
          />
        ))}
      </div>
    </Group>
  )
}

function ToggleField({ form, field, locked, issue }: FieldProps<'toggle'>) {
  const t = surfaceTexts.use()
  const id = useId()
  const isOn = useFieldValue(form, field.id) === true
  return (
    <div className="field" data-field={field.id}>
      <label className="switch">
        <span id={id}>{field.label}</span>
        {/* Said by the switch itself. */}
        <span className="switch-word" aria-hidden="true">
          {t(isOn ? 'yes' : 'no')}
        </span>
        <input
          type="checkbox"
          role="switch"
          checked={isOn}
          disabled={locked}
          aria-labelledby={id}
          {...invalid(issue, `${id}-i`)}
          onChange={(event) => form.set(field.id, event.target.checked)}
        />
      </label>
      <IssueText id={`${id}-i`}>{issue}</IssueText>
    </div>
  )
}
