/* How the guide repeats what a person decided: a table, the steps as a list, a command as code. */
import { sayIn, type Say } from './demo-language.ts'
import { demoSurfaces } from './demo-surfaces.ts'
import { fenced } from './demo-texts.ts'
import type { Answer, Submission } from './demo-transcript.ts'

export function submissionSummary(submission: Submission): string {
  const say = sayIn(submission.language)
  const parts = [say('This is what you decided:', '你的决定如下：'), answerTable(say, submission)]
  if (submission.surface === 'migration') parts.push(planOf(say, submission))
  if (submission.note.length > 0) {
    parts.push(
      `${say('And your note:', '以及你的备注：')}\n\n${submission.note.map((line) => `> ${escaped(line)}`).join('\n')}`,
    )
  }
  return parts.join('\n\n')
}

function answerTable(say: Say, { answers, title }: Submission): string {
  if (answers.length === 0) return say(`**${escaped(title)}**: yes.`, `**${escaped(title)}**：同意。`)
  const rows = answers.map(({ label, lines }) => `| ${escaped(label)} | ${escaped(shownAnswer(say, lines))} |`)
  return [say('| Question | Your answer |', '| 问题 | 你的回答 |'), '| --- | --- |', ...rows].join('\n')
}

function planOf(say: Say, submission: Submission): string {
  const steps = answerTo(submission, 'steps')?.lines[0] ?? ''
  const list = steps.split(/; (?=\d+\) )/).map((step, index) => `${index + 1}. ${escaped(step.replace(/^\d+\) /, ''))}`)
  return [
    say('I would go in this order:', '我会按这个顺序进行：'),
    list.join('\n'),
    say('which is this command:', '对应的命令是：'),
    fenced(commandOf(submission), 'sh'),
  ].join('\n\n')
}

function commandOf(submission: Submission): string {
  const path = optionIds(submission, 'path')[0] ?? 'undecided'
  const before = optionIds(submission, 'before')
  const freeze = answerTo(submission, 'freeze')?.lines[0] === 'yes'
  return [
    `migrate-orders --path ${path} --dry-run`,
    ...(before.length === 0 ? [] : [`--before ${before.join(',')}`]),
    ...(freeze ? ['--freeze-deploys'] : []),
  ].join(' \\\n  ')
}

/** Labels of a choice back to ids, which are safe inside a command whatever the labels are. */
function optionIds(submission: Submission, fieldId: string): string[] {
  const field = demoSurfaces.migration[submission.language].fields?.find(({ id }) => id === fieldId)
  const labels = (answerTo(submission, fieldId)?.lines[0] ?? '').split('; ')
  if (field?.kind !== 'choice' && field?.kind !== 'multi-choice') return []
  return field.options.filter(({ label }) => labels.includes(label)).map(({ id }) => id)
}

function answerTo(submission: Submission, fieldId: string): Answer | undefined {
  const field = demoSurfaces.migration[submission.language].fields?.find(({ id }) => id === fieldId)
  return submission.answers.find(({ label }) => label === field?.label)
}

/** The message text is the same in every locale; what it says for "nothing" and "yes" is put into the person's words. */
function shownAnswer(say: Say, lines: readonly string[]): string {
  const answer = lines.filter(isFilled).join(' / ')
  switch (answer) {
    case '(no answer)':
      return say('not answered', '未回答')
    case '(none)':
      return say('none', '无')
    case 'yes':
      return say('yes', '是')
    case 'no':
      return say('no', '否')
    default:
      return answer
  }
}

function isFilled(line: string): boolean {
  return line.trim() !== ''
}

/** A person's text inside markdown is text. */
function escaped(text: string): string {
  return text.replace(/[\\`*_[\]<>|~#]/g, '\\$&')
}
