/* The tree of child sessions: from the log, the list below it, and what must not disagree. */
import { describe, expect, it } from 'vitest'
import { sessionIdSchema } from '../../../../shared/ids.ts'
import type { Session } from '../../../../shared/session.ts'
import { catalogOf, type Child, childrenOf, countOf, hasFailed } from '../../../../web/plugins/subagents/catalog.ts'
import { session } from '../samples.ts'

const id = (name: string) => sessionIdSchema.parse(name)
const child = (name: string, of: string, change: Partial<Session> = {}) =>
  session({ id: id(name), title: name, parent: { sessionId: id(of), seq: 0, relation: 'subagent' }, ...change })
const entry = (name: string, status = 'completed', seqs: object = { startedSeq: 1, endedSeq: 2 }) => ({
  sessionId: name,
  label: `do ${name}`,
  mode: 'foreground',
  status,
  ...seqs,
})
const names = (children: readonly Child[]): string[] => children.map(({ sessionId }) => sessionId)

describe('the tree', () => {
  it('SUB-NONE: before the baseline, without children and from nonsense there is nothing', () => {
    for (const value of [undefined, { children: [] }, null, 7, { children: [{}] }])
      expect(childrenOf(value, [])).toEqual([])
  })

  it('SUB-ALL: finished children stay, whatever their end', () => {
    const ends = ['running', 'completed', 'failed', 'killed']
    const tree = childrenOf({ children: ends.map((status) => entry(status, status)) }, [])
    expect(tree.map(({ status }) => status)).toEqual(ends)
  })

  it('SUB-TREE: children of children come from the list, and the count is every row', () => {
    const list = [child('a1', 'a'), child('a2', 'a', { createdAt: 9 }), child('a11', 'a1'), child('z', 'elsewhere')]
    const tree = childrenOf({ children: [entry('a'), entry('b')] }, list)
    expect(names(tree)).toEqual(['a', 'b'])
    expect([names(tree[0]?.children ?? []), names(tree[0]?.children[0]?.children ?? [])]).toEqual([
      ['a1', 'a2'],
      ['a11'],
    ])
    expect(countOf(tree)).toBe(5)
  })

  it('SUB-TREE: a fork is no child', () => {
    const fork = session({ id: id('f'), parent: { sessionId: id('a'), seq: 0, relation: 'fork' } })
    expect(childrenOf({ children: [entry('a')] }, [fork])[0]?.children).toEqual([])
  })

  it('SUB-LOOP: a list that goes in circles ends', () => {
    const list = [child('b', 'a'), child('a', 'b'), child('a', 'a')]
    expect(countOf(childrenOf({ children: [entry('a')] }, list))).toBe(2)
  })

  it('SUB-SAME: a child that does not work is not called running, though its parent never heard of its end', () => {
    const value = { children: [entry('a', 'running', { startedSeq: 1 })] }
    expect(childrenOf(value, [child('a', 's-1', { status: 'idle' })])[0]?.status).toBe('idle')
    expect(childrenOf(value, [child('a', 's-1', { status: 'running' })])[0]?.status).toBe('running')
    expect(childrenOf(value, [])[0]?.status).toBe('running')
  })

  it('SUB-ORDER: live ones by start, settled ones by end, the newest first', () => {
    const children = [
      entry('long', 'completed', { startedSeq: 1, endedSeq: 9 }),
      entry('first', 'running', { startedSeq: 2 }),
      entry('short', 'killed', { startedSeq: 3, endedSeq: 4 }),
      entry('second', 'running', { startedSeq: 5 }),
    ]
    const { live, settled } = catalogOf(childrenOf({ children }, []))
    expect([names(live), names(settled)]).toEqual([
      ['first', 'second'],
      ['long', 'short'],
    ])
  })

  it('SUB-FAIL: a branch has failed with anything in it, and is live with anything in it', () => {
    const tree = childrenOf({ children: [entry('a'), entry('b', 'failed')] }, [child('a1', 'a', { status: 'running' })])
    expect([tree.map(hasFailed), names(catalogOf(tree).live)]).toEqual([[false, true], ['a']])
  })
})
