import { once, z } from '#kit'
import { text } from './fields.ts'

export const catalogueEntry = once(() =>
  z.object({ kind: z.enum(['step', 'trigger']), integration: text, id: text, title: text }),
)
export const catalogueEntries = once(() => z.object({ items: z.array(catalogueEntry()) }))

export type CatalogueEntry = z.infer<ReturnType<typeof catalogueEntry>>
