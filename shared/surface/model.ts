/* The declarative model of a Task Surface in its normal form: what the parser returns, the log stores
   and the client renders (SPEC 6.1). Members stand in the order of canonical JSON.
   Next: `parse.ts` makes one of these from anything. */

export interface TaskSurfaceModelV1 {
  version: 1
  title: string
  description?: string
  sections: TaskSurfaceSection[]
  fields?: TaskSurfaceField[]
  submit: { label: string }
}

export interface TaskSurfaceSection {
  id: string
  title?: string
  layout?: { kind: 'grid'; columns: 2 | 3 }
  blocks: TaskSurfaceBlock[]
}

export type TaskSurfaceCell = string | number | boolean | null

export type TaskSurfaceBlock =
  | { kind: 'markdown'; text: string }
  | { kind: 'metrics'; items: TaskSurfaceMetric[] }
  | { kind: 'table'; columns: TaskSurfaceColumn[]; rows: Record<string, TaskSurfaceCell>[] }
  | { kind: 'diff'; path?: string; before: string | null; after: string; language?: string }
  | { kind: 'notice'; tone: 'neutral' | 'info' | 'warning'; text: string }

export interface TaskSurfaceMetric {
  label: string
  value: string
  detail?: string
}

export interface TaskSurfaceColumn {
  id: string
  label: string
}

export type TaskSurfaceField =
  | { kind: 'text'; id: string; label: string; multiline?: true; required?: true; initial?: string }
  | { kind: 'choice'; id: string; label: string; options: TaskSurfaceOption[]; initial?: string }
  | { kind: 'multi-choice'; id: string; label: string; options: TaskSurfaceOption[]; initial?: string[] }
  | { kind: 'toggle'; id: string; label: string; initial?: true }
  | { kind: 'order'; id: string; label: string; options: TaskSurfaceOption[]; initial?: string[] }

export interface TaskSurfaceOption {
  id: string
  label: string
  detail?: string
}
