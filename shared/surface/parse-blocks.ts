/* Sections and blocks of a model (SPEC 6.1). Counts are taken on the raw input, before missing cells are filled in.
   Part of `parse.ts`; `reader.ts` says how problems are reported. */
import { pointer } from '../json-pointer.ts'
import { maxTableCells } from './limits.ts'
import type {
  TaskSurfaceBlock,
  TaskSurfaceCell,
  TaskSurfaceColumn,
  TaskSurfaceMetric,
  TaskSurfaceSection,
} from './model.ts'
import type { ParseRun } from './parse-run.ts'
import { checkLength, claimId } from './parse-run.ts'
import type { Node } from './reader.ts'
import {
  allowKeys,
  isRecord,
  problemAt,
  readArm,
  readId,
  readLine,
  readList,
  readLongText,
  readNonBlankText,
  readObject,
  readOptionalLine,
} from './reader.ts'
import { surrogateProblem, withLineFeeds } from './text-rules.ts'

export function parseSection(input: unknown, path: string, run: ParseRun): TaskSurfaceSection | null {
  const node = readObject(input, path, run.report)
  if (node === null) return null
  allowKeys(node, ['id', 'title', 'layout', 'blocks'])
  const id = readId(node)
  claimId(run.ids, id, node)
  const title = readOptionalLine(node, 'title')
  const layout = parseLayout(node)
  const blocks = readList(node, 'blocks', 1) ?? []
  run.blocks += blocks.length
  return {
    id,
    ...(title === undefined ? {} : { title }),
    ...(layout === undefined ? {} : { layout }),
    blocks: blocks.flatMap((block, index) => parseBlock(block, pointer(`${path}/blocks`, index), run) ?? []),
  }
}

function parseLayout(section: Node): TaskSurfaceSection['layout'] {
  const input = section.members.get('layout')
  if (input === undefined) return undefined
  const node = readObject(input, pointer(section.path, 'layout'), section.report)
  if (node === null) return undefined
  const kind = readArm(node, 'kind', ['stack', 'grid'])
  if (kind === null) return undefined
  if (kind === 'stack') {
    allowKeys(node, ['kind'])
    return undefined
  }
  allowKeys(node, ['kind', 'columns'])
  const columns = node.members.get('columns')
  if (columns === 2 || columns === 3) return { kind, columns }
  problemAt(node, 'columns', columns === undefined ? 'is missing' : 'must be 2 or 3')
  return undefined
}

function parseBlock(input: unknown, path: string, run: ParseRun): TaskSurfaceBlock | null {
  const node = readObject(input, path, run.report)
  const kind = node === null ? null : readArm(node, 'kind', ['markdown', 'metrics', 'table', 'diff', 'notice'])
  if (node === null || kind === null) return null
  switch (kind) {
    case 'markdown':
      allowKeys(node, ['kind', 'text'])
      return { kind, text: readNonBlankText(node, 'text') }
    case 'metrics':
      return parseMetrics(node, run)
    case 'table':
      return parseTable(node, run)
    case 'diff':
      return parseDiff(node)
    case 'notice': {
      allowKeys(node, ['kind', 'tone', 'text'])
      const tone = readArm(node, 'tone', ['neutral', 'info', 'warning'])
      return { kind, tone: tone ?? 'neutral', text: readNonBlankText(node, 'text') }
    }
  }
}

function parseMetrics(node: Node, run: ParseRun): TaskSurfaceBlock {
  allowKeys(node, ['kind', 'items'])
  const items = readList(node, 'items', 1) ?? []
  checkLength(run, 'metrics', items.length, pointer(node.path, 'items'))
  return {
    kind: 'metrics',
    items: items.flatMap((item, index) => parseMetric(item, pointer(`${node.path}/items`, index), run) ?? []),
  }
}

function parseMetric(input: unknown, path: string, run: ParseRun): TaskSurfaceMetric | null {
  const node = readObject(input, path, run.report)
  if (node === null) return null
  allowKeys(node, ['label', 'value', 'detail'])
  const label = readLine(node, 'label')
  const value = readLine(node, 'value')
  const detail = readOptionalLine(node, 'detail')
  return { label, value, ...(detail === undefined ? {} : { detail }) }
}

function parseDiff(node: Node): TaskSurfaceBlock {
  allowKeys(node, ['kind', 'path', 'before', 'after', 'language'])
  const path = readOptionalLine(node, 'path')
  const before = node.members.get('before') === null ? null : readLongText(node, 'before')
  const after = readLongText(node, 'after')
  const language = readOptionalLine(node, 'language')
  return {
    kind: 'diff',
    ...(path === undefined ? {} : { path }),
    before,
    after,
    ...(language === undefined ? {} : { language }),
  }
}

function parseTable(node: Node, run: ParseRun): TaskSurfaceBlock {
  allowKeys(node, ['kind', 'columns', 'rows'])
  const columnInputs = readList(node, 'columns', 1)
  const rowInputs = readList(node, 'rows', 0) ?? []
  checkLength(run, 'columns', columnInputs?.length ?? 0, pointer(node.path, 'columns'))
  run.rows += rowInputs.length
  run.cells += rowInputs.length * (columnInputs?.length ?? 0)

  const ids = new Set<string>()
  const columns = (columnInputs ?? []).flatMap(
    (column, index) => parseColumn(column, pointer(`${node.path}/columns`, index), ids, run) ?? [],
  )
  // A column whose id cannot be read may be the one that a cell belongs to.
  const readable = columnInputs !== null && columns.length === columnInputs.length && !ids.has('')
  const known = readable ? ids : null
  const rowsPath = pointer(node.path, 'rows')
  for (const [index, row] of rowInputs.entries()) checkRow(row, rowsPath, index, known, run)
  // Past the bound the model is refused anyway; filling in cells would multiply a small input.
  const rows = run.cells > maxTableCells ? [] : rowInputs.filter(isRecord).map((row) => fillRow(row, columns))
  return { kind: 'table', columns, rows }
}

function parseColumn(input: unknown, path: string, ids: Set<string>, run: ParseRun): TaskSurfaceColumn | null {
  const node = readObject(input, path, run.report)
  if (node === null) return null
  allowKeys(node, ['id', 'label'])
  const id = readId(node)
  claimId(ids, id, node)
  return { id, label: readLine(node, 'label') }
}

function checkRow(
  input: unknown,
  rowsPath: string,
  index: number,
  known: ReadonlySet<string> | null,
  run: ParseRun,
): void {
  if (!isRecord(input)) {
    run.report(pointer(rowsPath, index), 'must be an object')
    return
  }
  for (const [key, value] of Object.entries(input)) {
    const problem = known !== null && !known.has(key) ? 'is not the id of a column' : cellProblem(value)
    if (problem !== null) run.report(pointer(pointer(rowsPath, index), key), problem)
  }
}

function cellProblem(value: unknown): string | null {
  if (typeof value === 'string') return surrogateProblem(value)
  if (typeof value === 'number') return Number.isFinite(value) ? null : 'must be a finite number'
  return value === null || typeof value === 'boolean' ? null : 'must be a string, a number, true, false or null'
}

function fillRow(input: object, columns: readonly TaskSurfaceColumn[]): Record<string, TaskSurfaceCell> {
  const cells = new Map<string, unknown>(Object.entries(input))
  return Object.fromEntries(columns.map(({ id }) => [id, normalCell(cells.get(id))]))
}

function normalCell(value: unknown): TaskSurfaceCell {
  if (typeof value === 'string') return withLineFeeds(value)
  // −0 is written as 0, so it may not stay −0 in the model either.
  if (typeof value === 'number') return value === 0 ? 0 : value
  return typeof value === 'boolean' ? value : null
}
