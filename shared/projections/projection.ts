/* What a projection is (SPEC 3): a pure, synchronous fold of counted events into plain JSON. Returning the
   same reference means "no change", and then no frame is sent. */
import type { SessionEvent } from '../event.ts'
import type { Json } from '../json.ts'

export interface Projection<Value extends Json> {
  readonly key: string
  readonly init: Value
  readonly apply: (state: Value, event: SessionEvent) => Value
}
