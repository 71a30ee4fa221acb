/* The host's clock as this page reads it, for what is live. It stands still at the moment of a loss: nobody knows
   what still runs, so nothing grows older on the screen. */
import { useClient } from '../client.tsx'
import { useStore } from '../store.ts'
import { useNow } from '../time.ts'

/** Renewed every second while `ticking`; else no timer runs. */
export function useHostTime(ticking: boolean): number {
  const { connection, now } = useClient()
  const aheadMs = useStore(connection.state, (state) => state.hostAheadMs)
  const downSince = useStore(connection.state, (state) => state.downSince)
  const time = useNow(now, 1000, ticking)
  return (downSince ?? time) + aheadMs
}
