/** The input of an earlier run: as the server kept it, or as this browser tab sent it. */
import { useMemo } from 'preact/hooks'
import type { RunDetail } from '../../../../api/resources/run.ts'
import { may, useApi } from '../../api/index.ts'
import { isRow } from './records.ts'
import { recall } from './intents.ts'
import { namesOfRun } from './use-thing-names.ts'
import type { Intent } from './intents.ts'

export type Earlier = { isLoading: boolean; intent?: Intent | undefined; by?: 'server' | 'tab' }

/** `from`: the id of the run. */
export const useEarlier = (from: string | undefined): Earlier => {
  const sent = useMemo(() => (from === undefined ? undefined : recall(from)), [from])
  const mustAsk = from !== undefined && sent === undefined && may('read')
  const { data, loading } = useApi<RunDetail>(mustAsk ? `runs/${encodeURIComponent(from)}` : undefined)
  if (sent) return { isLoading: false, intent: sent, by: 'tab' }
  if (!mustAsk) return { isLoading: false }
  if (loading) return { isLoading: true }
  const input = data?.contents?.input
  if (!data || !isRow(input)) return { isLoading: false }
  const { integration, step, connection } = data
  const names = namesOfRun(data)
  return {
    isLoading: false,
    intent: { integration, step, connection: connection ?? undefined, input, names },
    by: 'server',
  }
}
