/* What of a chart is lit for one transition: where the actor is, where it was, and the arrows that led from there to
   here, a state that was only passed through included. Pure. */
import type { Chart, ChartEdge } from '../../../machines/chart.ts'
import type { JournalEntry } from '../../../shared/journal.ts'
import type { Json } from '../../../shared/json.ts'
import { startOf } from './chart-graph.ts'
import { isBeginning, typeOf } from './journal-index.ts'

export interface ChartMarks {
  /** The states an actor is in, innermost, and what lies around these. */
  current: ReadonlySet<string>
  around: ReadonlySet<string>
  /** Where it was, if somewhere else. */
  previous: ReadonlySet<string>
  /** States passed through within the event. */
  passed: readonly string[]
  /** Arrows of the chart, and the event that took them. */
  edges: ReadonlySet<string>
  /** Start dots that were left. */
  starts: ReadonlySet<string>
  event: string | null
}

export const noMarks: ChartMarks = {
  current: new Set(),
  around: new Set(),
  previous: new Set(),
  passed: [],
  edges: new Set(),
  starts: new Set(),
  event: null,
}

/** The innermost states of a state value. */
export function leavesOf(value: Json, at = ''): string[] {
  if (typeof value === 'string') return [at === '' ? value : `${at}.${value}`]
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return at === '' ? [] : [at]
  return Object.entries(value).flatMap(([name, below]) => leavesOf(below, at === '' ? name : `${at}.${name}`))
}

/** What lies around a state, from the inside out; the machine itself last. */
export function ancestorsOf(id: string): string[] {
  const parts = id.split('.')
  return parts.map((_, index) => parts.slice(0, parts.length - 1 - index).join('.'))
}

/** Where an arrow to `id` comes to rest. */
function restsIn(chart: Chart, id: string): string[] {
  const inside = chart.states.filter(({ parent, isInitial }) => isInitial && (parent ?? '') === id)
  return inside.length === 0 ? [id] : inside.flatMap((state) => restsIn(chart, state.id))
}

export function marksOf(chart: Chart, entry: JournalEntry): ChartMarks {
  const current = leavesOf(entry.to)
  const was = entry.from === null || isBeginning(entry) ? [] : leavesOf(entry.from)
  const { edges, passed } = isBeginning(entry) ? { edges: [], passed: [] } : taken(chart, entry, was, current)
  return {
    current: new Set(current),
    around: new Set(current.flatMap(ancestorsOf).filter((id) => id !== '')),
    previous: new Set(was.filter((id) => !current.includes(id))),
    passed,
    edges: new Set(edges.map(({ id }) => id)),
    starts: new Set(isBeginning(entry) ? current.flatMap(ancestorsOf).map(startOf) : []),
    event: isBeginning(entry) ? null : typeOf(entry),
  }
}

function taken(
  chart: Chart,
  entry: JournalEntry,
  was: readonly string[],
  current: readonly string[],
): { edges: ChartEdge[]; passed: string[] } {
  const event = typeOf(entry)
  const isHere = (id: string) => current.includes(id)
  const stays = was.every(isHere)
  const fits = (edge: ChartEdge) => (edge.isInternal ? stays : restsIn(chart, edge.to).some(isHere))
  for (const leaf of was) {
    for (const from of [leaf, ...ancestorsOf(leaf)]) {
      const own = chart.edges.filter((edge) => edge.from === from && edge.event === event)
      // In the order in which guards are asked.
      for (const edge of own) {
        if (fits(edge)) return { edges: [edge], passed: [] }
        const [through] = passing(chart, edge, isHere)
        if (through !== undefined) return through
      }
    }
  }
  return { edges: [], passed: [] }
}

/** An arrow into a state that is left at once for one that the actor is in. */
function passing(
  chart: Chart,
  edge: ChartEdge,
  isHere: (id: string) => boolean,
): { edges: ChartEdge[]; passed: string[] }[] {
  const state = chart.states.find(({ id }) => id === edge.to)
  if (state?.isTransient !== true) return []
  return chart.edges
    .filter((next) => next.from === state.id && next.event === null && restsIn(chart, next.to).some(isHere))
    .map((next) => ({ edges: [edge, next], passed: [state.id] }))
}

/** Nothing leads from there to another state. */
export function isEndOf(chart: Chart, value: Json): boolean {
  const leaves = leavesOf(value)
  return (
    leaves.length > 0 &&
    leaves.every((leaf) => {
      const froms = new Set([leaf, ...ancestorsOf(leaf)])
      return !chart.edges.some((edge) => froms.has(edge.from) && !edge.isInternal)
    })
  )
}

/** A state as it is written beside its actor: without `live`, which says nothing there. */
export function stateWord(value: Json): string {
  const words = leavesOf(value).map((leaf) => leaf.replace(/^live\./, ''))
  return words.length === 0 ? '–' : words.join(' + ')
}
