/** What a form loads from the account through the public API. */
import { post } from '../api/index.ts'
import type { AccountFields } from './account-fields.tsx'
import type { LoadOptions, OptionPage } from './context.ts'
import type { Layout, Values } from './draft.ts'

/** `path`: that of a step or trigger, such as `steps/{integration}/{step}`. */
export const optionsOf =
  (path: string, connection: string | undefined): LoadOptions =>
  (field, values, query, cursor, signal) =>
    post<OptionPage>(`${path}/options`, { connection, field, values, query: query || undefined, cursor }, { signal })

/** `declaration`: `accountFields` of the step's manifest. */
export const accountFieldsOf = (
  path: string,
  connection: string | undefined,
  declaration: { field: string; dependsOn: string[] } | null,
): AccountFields | undefined =>
  declaration === null
    ? undefined
    : {
        ...declaration,
        load: (values: Values, signal: AbortSignal) =>
          post<{ layout: Layout }>(`${path}/fields`, { connection, values }, { signal }),
      }
