import { once, z } from '#kit'
import { text } from './fields.ts'

export const integration = once(() =>
  z.object({
    id: text,
    title: text,
    summary: text,
    version: text,
    maturity: z.enum(['stable', 'beta']),
    ready: z.boolean().describe('false: the operator has to add settings first'),
    steps: z.int(),
    triggers: z.int(),
  }),
)

export type Integration = z.infer<ReturnType<typeof integration>>
