/* What a projection is (SPEC 3): a pure, synchronous fold of counted events into plain JSON. Returning the
   same reference means "no change", and then no frame is sent. Next: `registry.ts`. */
import type { SessionEvent } from '../event.ts'
import type { Json } from '../json.ts'
import type { TaskSurfaceProjection } from './task-surface.ts'

/** What stood before the event, for a projection that builds on another one. */
export interface Before {
  readonly taskSurface: TaskSurfaceProjection
}

export interface Projection<Value extends Json> {
  readonly key: string
  readonly init: Value
  readonly apply: (state: Value, event: SessionEvent, before: Before) => Value
}
