/** The names of things at the provider, by id: those that a run's sentence has, and those learned for its connection. */
import { useMemo } from 'preact/hooks'
import type { ConnectionName } from '../../../../api/resources/connection-name.ts'
import type { RunDetail } from '../../../../api/resources/run.ts'
import { may, useApi } from '../../api/index.ts'

/** The names that the sentence of a run has for things, by id. */
export const namesOfRun = ({ summary }: Pick<RunDetail, 'summary'>): [id: string, name: string][] =>
  summary?.parts.flatMap(({ text, ref, unnamed }): [string, string][] => (ref && !unnamed ? [[ref.id, text]] : [])) ??
  []

/** The newest of the learned names: as many as one request gives. */
const maxLearned = 200

export const useThingNames = (
  connection: string | null | undefined,
  run?: Pick<RunDetail, 'summary'>,
): Map<string, string> => {
  const path = connection && may('read') ? `connections/${encodeURIComponent(connection)}/names` : undefined
  const { data } = useApi<{ items: ConnectionName[] }>(path, { limit: maxLearned })
  return useMemo(
    () => new Map([...(data?.items.map(({ id, name }) => [id, name] as const) ?? []), ...(run ? namesOfRun(run) : [])]),
    [data, run],
  )
}
