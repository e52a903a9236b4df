/** What a question in plain words means, as the server ranks it: the same way as the MCP tool `find_tools`. */
import { useEffect, useRef, useState } from 'preact/hooks'
import type { CatalogueEntry } from '../../../../api/resources/catalogue-entry.ts'
import { useApi } from '../../api/index.ts'

export type Kind = CatalogueEntry['kind']

export const rankKey = ({ integration, id }: { integration: string; id: string }) => `${integration}/${id}`

const pauseMs = 120
const maxLength = 256

/** The text once typing pauses. */
const usePaused = (text: string) => {
  const [paused, setPaused] = useState(text)
  useEffect(() => {
    const timer = setTimeout(() => setPaused(text), pauseMs)
    return () => clearTimeout(timer)
  }, [text])
  // An emptied search box shows everything at once.
  return text === '' ? text : paused
}

/** Steps and triggers, or one kind of them, the best first; the last answer is shown until the next arrives. */
export const useCatalogueSearch = (text: string, kind?: Kind) => {
  const wanted = text.trim().slice(0, maxLength)
  const query = usePaused(wanted)
  const { data, problem } = useApi<{ items: CatalogueEntry[] }>(query === '' ? undefined : 'catalogue', { query, kind })
  const last = useRef<CatalogueEntry[]>(undefined)
  if (wanted === '') last.current = undefined
  else if (data) last.current = data.items
  return { entries: last.current, isCurrent: wanted === '' || (query === wanted && data !== undefined), problem }
}

/** Keys of what the text means, the best first; undefined while there is no text, or no first answer. */
export const useRanking = (kind: Kind, text: string) => {
  const { entries, ...state } = useCatalogueSearch(text, kind)
  return { ...state, ranking: entries?.map(rankKey) }
}
