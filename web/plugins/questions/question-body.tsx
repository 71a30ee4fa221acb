/* One question: its options, and words of one's own. */
import { useId } from 'react'
import type { Question } from '../../../shared/question.ts'
import type { Draft } from './answers.ts'
import { questionTexts } from './question-texts.ts'

/** As many options as there are digit keys. */
const keyedOptions = 9

export function QuestionBody(props: {
  question: Question
  draft: Draft
  locked: boolean
  onChoose: (label: string) => void
  onWrite: (text: string) => void
}) {
  const t = questionTexts.use()
  const { question, draft, locked, onChoose, onWrite } = props
  const name = useId()
  const fieldId = useId()
  const options = question.options ?? []
  const many = question.multiSelect === true
  return (
    <div className="take-body">
      {options.length > 0 && (
        <fieldset className="field" disabled={locked}>
          <legend className="vh">{question.question}</legend>
          <div className="opts">
            {options.map((option, index) => (
              <label key={option.label} className="opt">
                <input
                  type={many ? 'checkbox' : 'radio'}
                  name={name}
                  checked={draft.selected.includes(option.label)}
                  onChange={() => onChoose(option.label)}
                />
                <span>{option.label}</span>
                {index < keyedOptions && (
                  <span className="kbd" aria-hidden="true">
                    {index + 1}
                  </span>
                )}
                {option.description !== undefined && <small>{option.description}</small>}
              </label>
            ))}
          </div>
          {many && <span className="help">{t('several')}</span>}
        </fieldset>
      )}
      <div className="field">
        <label className="label" htmlFor={fieldId}>
          <span>{options.length > 0 ? t('own') : t('ownOnly')}</span>
        </label>
        <input
          type="text"
          className="input"
          id={fieldId}
          placeholder={t('write')}
          value={draft.custom}
          disabled={locked}
          autoComplete="off"
          onChange={(event) => onWrite(event.target.value)}
        />
      </div>
    </div>
  )
}
