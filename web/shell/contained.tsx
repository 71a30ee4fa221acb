/* Contains what a plugin throws while it draws: its place shows the fallback, everything around lives on. */
import { Component, type ReactNode } from 'react'

export class Contained extends Component<{ children: ReactNode; fallback?: ReactNode }, { failed: boolean }> {
  override state = { failed: false }

  static getDerivedStateFromError(): { failed: boolean } {
    return { failed: true }
  }

  override render(): ReactNode {
    return this.state.failed ? (this.props.fallback ?? null) : this.props.children
  }
}
