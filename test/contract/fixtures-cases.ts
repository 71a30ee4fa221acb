/* Reads the fixture files. A member `xParts: [[piece, times], …]` stands for the text `x`. */
import { readFileSync } from 'node:fs'

export interface Case {
  name: string
  verdict: string
  [key: string]: unknown
}

export function fixtureCases(file: string): Case[] {
  const read: unknown = JSON.parse(readFileSync(new URL(`../fixtures/${file}`, import.meta.url), 'utf8'))
  if (!Array.isArray(read)) throw new Error(`${file} is not a list`)
  return read.map((entry: unknown) => {
    if (!isCase(entry)) throw new Error(`${file} holds something that is no case`)
    return entry
  })
}

/** The text `key` of a case, written out or in parts; undefined when it has neither. */
export function textOfCase(entry: Case, key: string): string | undefined {
  const text = entry[key]
  if (typeof text === 'string') return text
  const parts = entry[`${key}Parts`]
  if (!Array.isArray(parts)) return undefined
  return parts.map(([piece, times]: [string, number]) => piece.repeat(times)).join('')
}

/** True when every expected path, or one that counts as well, was reported. */
export function missingPaths(entry: Case, reported: readonly string[]): string[] {
  const alternates = recordOf(entry.alternates)
  return listOf(entry.paths).filter((path) => {
    const others = alternates[path]
    return ![path, ...(Array.isArray(others) ? others : [])].some((one) => reported.includes(one))
  })
}

export function listOf(value: unknown): string[] {
  return Array.isArray(value) ? value.map(String) : []
}

function recordOf(value: unknown): Record<string, unknown> {
  return typeof value === 'object' && value !== null ? { ...value } : {}
}

function isCase(value: unknown): value is Case {
  return typeof value === 'object' && value !== null && 'name' in value && 'verdict' in value
}
